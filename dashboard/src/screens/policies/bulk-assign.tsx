import type { ListedInsurancePolicy } from '@banyan/client'
import { useQueryClient } from '@tanstack/react-query'
import { BulkDialog } from '../../parts/bulk-dialog.tsx'
import { chosenColleague, useColleagueField } from '../../parts/colleague-field.ts'
import { placeOfPolicy } from '../../parts/policy-columns.tsx'
import { assignRow } from './assign-row.ts'

type AssignSettings = { rows: readonly ListedInsurancePolicy[]; close: (selected?: ReadonlySet<string>) => void }

/** Asks who is to work on the policies, and assigns each. */
export function BulkAssign({ rows, close }: AssignSettings) {
  const queries = useQueryClient()
  const [providerId, ...others] = new Set(rows.map(({ benefit_provider_id: id }) => id))
  const field = useColleagueField(others.length === 0 ? providerId : undefined, { orNobody: true })
  return (
    <BulkDialog
      action={{
        label: 'Assign',
        effect:
          others.length === 0
            ? 'Also those on which somebody works now. They find them under “Mine”.'
            : 'Also those on which somebody works now. They are of several insurers, so only administrators can be chosen.',
        fields: [field],
        act: (row, values) => assignRow(row, chosenColleague(values)),
      }}
      rows={rows}
      idOf={({ id }) => id}
      placeOf={placeOfPolicy}
      close={close}
      done={() => queries.invalidateQueries({ queryKey: ['policies'] })}
    />
  )
}
