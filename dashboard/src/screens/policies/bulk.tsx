import type { ListedInsurancePolicy } from '@banyan/client'
import { Button, Group, Modal, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { transitionsFor, type PolicyTransition } from '../../api/policy-transitions.ts'
import { useSession } from '../../api/session.ts'
import { countText } from '../../parts/texts.ts'
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
      {rows.length > 0 && (
        <Paper withBorder p="xs" className="bulk">
          <Group justify="space-between">
            <Text size="sm" fw={600} aria-live="polite">
              {countText(rows.length)} selected
            </Text>
            <TransitionButtons
              transitions={transitions}
              allowed={transitions.map(({ to }) => to)}
              whyNot={() => undefined}
              choose={(transition) => setRun({ transition, rows })}
            />
            <Button size="xs" variant="subtle" onClick={clear}>
              Clear
            </Button>
          </Group>
        </Paper>
      )}
      <Modal opened={run !== undefined} onClose={close} title={run?.transition.label} size="lg">
        {run && <BulkRun {...run} close={close} />}
      </Modal>
    </>
  )
}
