import { Modal, Text } from '@mantine/core'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../api/session.ts'
import type { Transition } from '../api/transitions.ts'
import { notify } from './notices.tsx'
import { ProblemForm, typed } from './problem-form.tsx'
import { stateText } from './state-badge.tsx'
import { TransitionButtons } from './transition-buttons.tsx'

type StatusChangeSettings<State extends string> = {
  status: string
  transitions: readonly Transition<State>[]
  /** Says what has changed: `The platform`. */
  what: string
  set: (body: { status: State; reason: string | undefined }) => Promise<unknown>
  /** What is read anew afterwards. */
  stale: readonly QueryKey[]
  /** Why nothing of it is possible now. */
  whyNot?: string | undefined
}

/** The transitions of a record as buttons; each says what follows, and asks for a reason that the history keeps. */
export function StatusChange<State extends string>(settings: StatusChangeSettings<State>) {
  const { status, transitions, what, set, stale, whyNot } = settings
  const { role } = useSession()
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Transition<State>>()
  const possible = transitions.filter(({ from, who }) => from === status && who.includes(role))
  const close = () => setChosen(undefined)
  if (possible.length === 0) return null

  const send = async (values: Readonly<Record<string, string>>) => {
    if (!chosen) return
    await set({ status: chosen.to, reason: typed(values, '/reason') })
    notify(`${what} is now: ${stateText(chosen.to)}.`)
    close()
    await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }

  return (
    <>
      <TransitionButtons
        transitions={possible}
        allowed={whyNot === undefined ? possible.map(({ to }) => to) : []}
        whyNot={() => whyNot}
        choose={setChosen}
      />
      <Modal opened={chosen !== undefined} onClose={close} title={chosen?.label}>
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
      </Modal>
    </>
  )
}
