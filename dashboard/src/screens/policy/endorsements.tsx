import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { OPEN_READ_MAX, openEndorsementsQuery } from '../../api/endorsements.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { ENDORSEMENT_COLUMNS_OF_POLICY } from '../../parts/endorsement-columns.tsx'
import { useEndorsementDialog } from '../../parts/endorsement-dialog.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { Rows } from '../../parts/rows.tsx'
import { countText } from '../../parts/texts.ts'

/** The states in which an endorsement can wait: one in any other is certified, or was never issued. */
const OPEN: readonly string[] = [
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
]

/** What waits for the insurer on a policy. */
export function Endorsements({ at, status }: { at: PolicyRef; status: string }) {
  const isOpen = OPEN.includes(status)
  const query = useQuery({ ...openEndorsementsQuery(at), enabled: isOpen })
  const { column, dialog } = useEndorsementDialog()
  if (!isOpen) return null
  return (
    <Section title="Endorsements that wait">
      {dialog}
      <Loaded query={query} lines={1}>
        {({ data, isAll }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No endorsement waits" />
            ) : (
              <Rows
                label="Endorsements that wait"
                columns={[...ENDORSEMENT_COLUMNS_OF_POLICY, column]}
                rows={data}
                idOf={({ id }) => id}
              />
            )}
            {!isAll && (
              <Text size="xs" c="dimmed">
                Of the last {countText(OPEN_READ_MAX)} that wait. “Endorsements” has all.
              </Text>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
