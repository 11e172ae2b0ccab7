import type { ListedInsurancePolicy } from '@banyan/client'
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { movesFor, type PolicyMove } from '../../api/policy-moves.ts'
import { useSession } from '../../api/session.ts'
import { BulkBar } from '../../parts/bulk.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'
import { BulkRun } from './bulk-run.tsx'

/** What can be done with all selected policies at once. Only moves that each of their states has. */
export function Bulk({ rows, clear }: { rows: readonly ListedInsurancePolicy[]; clear: () => void }) {
  const { role } = useSession()
  const [run, setRun] = useState<{ move: PolicyMove; rows: readonly ListedInsurancePolicy[] }>()
  const states = new Set(rows.map(({ status }) => status as string))
  const [first = '', ...others] = states
  const moves = movesFor(first, role).filter((move) =>
    others.every((state) => movesFor(state, role).some(({ to }) => to === move.to)),
  )
  const close = () => {
    setRun(undefined)
    clear()
  }
  return (
    <>
      <BulkBar count={rows.length} clear={clear}>
        <TransitionButtons
          moves={moves}
          allowed={moves.map(({ to }) => to)}
          whyNot={() => undefined}
          choose={(move) => setRun({ move, rows })}
        />
      </BulkBar>
      <Modal opened={run !== undefined} onClose={close} title={run?.move.label} size="lg">
        {run && <BulkRun {...run} close={close} />}
      </Modal>
    </>
  )
}
