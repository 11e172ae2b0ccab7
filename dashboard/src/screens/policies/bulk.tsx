import type { ListedInsurancePolicy } from '@banyan/client'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { transitionsFor, type PolicyTransition } from '../../api/policy-transitions.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { BulkBar } from '../../parts/bulk.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'
import { may } from '../../api/rights.ts'
import { BulkAssign } from './bulk-assign.tsx'
import { BulkRun } from './bulk-run.tsx'
import type { Role } from '../../api/roles.ts'

type BulkSettings = {
  rows: readonly ListedInsurancePolicy[]
  /** Leaves these rows selected. */
  select: (ids: ReadonlySet<string>) => void
}

/** An application can be ended only if it was issued before, which a list does not know and few were. */
const NEW: readonly string[] = ['PENDING', 'VERIFICATION', 'APPROVED']
const offeredTo = (state: string, role: Role) =>
  transitionsFor(state, role).filter(({ to }) => to !== 'EXPIRED' || !NEW.includes(state))

/** What can be done with all selected policies at once. Only transitions that each of their states has. */
export function Bulk({ rows, select }: BulkSettings) {
  const { role } = useSession()
  const [run, setRun] = useState<{ transition: PolicyTransition; rows: readonly ListedInsurancePolicy[] }>()
  const [assigned, setAssigned] = useState<readonly ListedInsurancePolicy[]>()
  const states = new Set(rows.map(({ status }) => status as string))
  const [first = '', ...others] = states
  const transitions = offeredTo(first, role).filter((transition) =>
    others.every((state) => offeredTo(state, role).some(({ to }) => to === transition.to)),
  )
  const close = (selected: ReadonlySet<string> = new Set()) => {
    setRun(undefined)
    setAssigned(undefined)
    select(selected)
  }
  return (
    <>
      <BulkBar
        count={rows.length}
        clear={() => select(new Set())}
        aside={
          may(role, 'assignInsurancePolicy') && (
            <Button size="xs" variant="default" onClick={() => setAssigned(rows)}>
              Assign…
            </Button>
          )
        }
      >
        <TransitionButtons
          transitions={transitions}
          allowed={transitions.map(({ to }) => to)}
          whyNot={() => undefined}
          choose={(transition) => setRun({ transition, rows })}
        />
      </BulkBar>
      {assigned && <BulkAssign rows={assigned} close={close} />}
      <Dialog opened={run !== undefined} close={() => close()} title={run?.transition.label} size="lg">
        {run && <BulkRun {...run} close={close} />}
      </Dialog>
    </>
  )
}
