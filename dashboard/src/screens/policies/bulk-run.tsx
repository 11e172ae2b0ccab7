import type { BenefitId, ListedInsurancePolicy } from '@banyan/client'
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PolicyTransition } from '../../api/policy-transitions.ts'
import { isShort } from '../../api/deposits.ts'
import { useSession } from '../../api/session.ts'
import { BulkReport } from '../../parts/bulk.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'
import { type Outcome, runEach } from '../../parts/run-each.ts'
import { ShortDeposits } from '../../parts/short-deposits.tsx'
import { countText } from '../../parts/texts.ts'
import { type Step, makeStep, takeBack } from './make-step.ts'
import { placeOfPolicy } from '../../parts/policy-columns.tsx'

type RunSettings = {
  transition: PolicyTransition
  rows: readonly ListedInsurancePolicy[]
  /** With those that stay selected. */
  close: (selected?: ReadonlySet<string>) => void
}
type Progressing = { label: string; total: number; outcomes: readonly Outcome[]; undoable: readonly Step[] }

/**
 * Asks once, then shows how far it is and what became of each policy. Takes back what it has done itself, where that is
 * proven to leave nothing behind.
 */
export function BulkRun({ transition, rows, close }: RunSettings) {
  const { role } = useSession()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<Progressing>()

  const start = async <Target,>(label: string, targets: readonly Target[], each: Each<Target>) => {
    setProgress({ label, total: targets.length, outcomes: [], undoable: [] })
    const update = (change: (now: Progressing) => Partial<Progressing>) =>
      setProgress((now) => now && { ...now, ...change(now) })
    await runEach(targets, {
      idOf: each.idOf,
      act: async (target) => {
        const step = await each.act(target)
        if (step) update(({ undoable }) => ({ undoable: [...undoable, step] }))
      },
      report: (outcome) => update(({ outcomes }) => ({ outcomes: [...outcomes, outcome] })),
    })
    await queries.invalidateQueries({ queryKey: ['policies'] })
  }

  const make = (reason: string | undefined) =>
    start(transition.label, rows, {
      idOf: ({ id }) => id,
      act: (row) => makeStep(row, { transition, reason, role }),
    })

  if (!progress)
    return (
      <ProblemForm
        fields={[
          {
            pointer: '/reason',
            label: 'Reason',
            hint: 'Kept in the history of each, which the partner and the person can read',
            isRequired: transition.needsReason === true,
          },
        ]}
        submit={`${transition.label}: ${countText(rows.length)}`}
        isDangerous={transition.isDangerous}
        send={(values) => make(typed(values, '/reason'))}
        cancel={() => close()}
      >
        <Text size="sm">{transition.effect}</Text>
      </ProblemForm>
    )
  const { label, outcomes, total, undoable } = progress
  const isDone = outcomes.length === total
  const [last] = undoable
  return (
    <BulkReport
      label={label}
      outcomes={outcomes}
      total={total}
      placeOf={(id) => {
        const row = rows.find((one) => one.id === id)
        return row && placeOfPolicy(row)
      }}
      selectFailed={close}
      remedy={(failed) => <ShortDeposits benefits={failed.flatMap((one) => benefitOfShort(one, rows))} />}
      close={() => close()}
    >
      {isDone && last && (
        <Button
          variant="default"
          onClick={() => void start(last.back.label, undoable, { idOf: ({ row }) => row.id, act: takeBack })}
        >
          Undo ({last.back.label.toLowerCase()}): {countText(undoable.length)}
        </Button>
      )}
    </BulkReport>
  )
}

/** The benefit of a policy whose premium its deposit lacks. */
function benefitOfShort({ id, error }: Outcome, rows: RunSettings['rows']): readonly BenefitId[] {
  if (!isShort(error)) return []
  return rows.filter((row) => row.id === id).map(({ benefit_id }) => benefit_id)
}

/** Does one thing; returns what can be taken back. */
type Each<Target> = { idOf: (target: Target) => string; act: (target: Target) => Promise<Step | undefined> }
