import type { ListedInsurancePolicy } from '@banyan/client'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { transitionsFor, type PolicyTransition } from '../../api/policy-transitions.ts'
import { useSession } from '../../api/session.ts'
import { BulkBar } from '../../parts/bulk.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'
import { BulkRun } from './bulk-run.tsx'

/** What can be done with all selected policies at once. Only transitions that each of their states has. */
export function Bulk({ rows, clear }: { rows: readonly ListedInsurancePolicy[]; clear: () => void }) {
  const { role } = useSession()
  const [run, setRun] = useState<{ transition: PolicyTransition; rows: readonly ListedInsurancePolicy[] }>()
  const states = new Set(rows.map(({ status }) => status as string))
  const [first = '', ...others] = states
  const transitions = transitionsFor(first, role).filter((transition) =>
    others.every((state) => transitionsFor(state, role).some(({ to }) => to === transition.to)),
  )
  const close = () => {
    setRun(undefined)
    clear()
  }
  return (
    <>
      <BulkBar count={rows.length} clear={clear}>
        <TransitionButtons
          transitions={transitions}
          allowed={transitions.map(({ to }) => to)}
          whyNot={() => undefined}
          choose={(transition) => setRun({ transition, rows })}
        />
      </BulkBar>
      <Modal opened={run !== undefined} onClose={close} title={run?.transition.label} size="lg">
        {run && <BulkRun {...run} close={close} />}
      </Modal>
    </>
  )
}
