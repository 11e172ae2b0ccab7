import type { ListedEndorsement } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { OPEN_READ_MAX, openEndorsementsQuery } from '../../api/endorsements.ts'
import { endQuery, type PolicyRef } from '../../api/policies.ts'
import { endorsementColumnsOfPolicy, type NameOf } from '../../parts/endorsement-columns.tsx'
import { useEndorsementDialog } from '../../parts/endorsement-dialog.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { Rows } from '../../parts/rows.tsx'
import { countText } from '../../parts/texts.ts'

/** The states in which an endorsement of a person can wait. An end waits in any, its day over or not. */
const OPEN: readonly string[] = [
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
]

type OpenEndorsements = { data: readonly ListedEndorsement[]; isAll: boolean }

type Settings = { status: string | undefined; isIssued: boolean }

/** What waits for the insurer on a policy; undefined where nothing can. */
export function useOpenEndorsements(
  at: PolicyRef,
  { status, isIssued }: Settings,
): UseQueryResult<OpenEndorsements> | undefined {
  const end = useQuery({ ...endQuery(at), enabled: isIssued })
  const isEnding = typeof end.data?.on === 'string'
  const isOpen = isEnding || (status !== undefined && OPEN.includes(status))
  const query = useQuery({ ...openEndorsementsQuery(at), enabled: isOpen })
  return isOpen ? query : undefined
}

type EndorsementsSettings = {
  query: UseQueryResult<OpenEndorsements>
  nameOf: NameOf
  /** The one that the page was opened for. */
  current: string | undefined
}

export function Endorsements({ query, nameOf, current }: EndorsementsSettings) {
  const { column, dialog } = useEndorsementDialog(nameOf)
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
                columns={[...endorsementColumnsOfPolicy(nameOf), column]}
                rows={data}
                idOf={({ id }) => id}
                current={current}
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
