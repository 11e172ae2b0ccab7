import { Text } from '@mantine/core'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from './dialog.tsx'
import { notify } from './notices.tsx'
import { ProblemForm, typed } from './problem-form.tsx'
import { stateText } from './state-badge.tsx'
import { type Transition, TransitionButtons } from './transition-buttons.tsx'

type Body<State extends string> = { status: State; reason: string | undefined }

type StatusChangeSettings<State extends string> = {
  /** Those out of the present state, for the person who looks. */
  transitions: readonly (Transition & { to: State })[]
  /** Those that are possible now; all, where it is not said. */
  allowed?: readonly string[]
  /** Says what has changed: `The platform`. */
  what: string
  set: (body: Body<State>, options: { signal: AbortSignal }) => Promise<unknown>
  /** What is read again afterwards. */
  stale: readonly QueryKey[]
  /** Why one is not possible now. */
  whyNot?: string | undefined
}

/** The transitions of a record as buttons; each says what follows, and asks for a reason that the history keeps. */
export function StatusChange<State extends string>(settings: StatusChangeSettings<State>) {
  const { transitions, allowed = transitions.map(({ to }) => to), what, set, stale, whyNot } = settings
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Transition & { to: State }>()
  const close = () => setChosen(undefined)
  if (transitions.length === 0) return null
  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    if (!chosen) return
    await set({ status: chosen.to, reason: typed(values, '/reason') }, { signal })
    notify(`${what} is now: ${stateText(chosen.to)}.`)
    close()
    await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
  return (
    <>
      <TransitionButtons transitions={transitions} allowed={allowed} whyNot={() => whyNot} choose={setChosen} />
      <Dialog opened={chosen !== undefined} close={close} title={chosen?.label}>
        {chosen && (
          <ProblemForm
            fields={[{ pointer: '/reason', label: 'Reason', hint: 'Kept in the history', isLong: true }]}
            submit={chosen.label}
            isDangerous={chosen.isDangerous}
            send={send}
            cancel={close}
          >
            <Text size="sm">{chosen.effect}</Text>
          </ProblemForm>
        )}
      </Dialog>
    </>
  )
}
