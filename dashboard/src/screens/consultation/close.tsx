import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ConsultationRef, closeConsultation, consultationQuery } from '../../api/consultations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'

const CLOSE = {
  to: 'CLOSED',
  label: 'Close',
  effect: 'Nobody can write in it any more. This cannot be undone.',
  isDangerous: true,
} as const

/** Ends a consultation, after a question. */
export function Close({ at, state }: { at: ConsultationRef; state: string }) {
  const queries = useQueryClient()
  const [asks, setAsks] = useState(false)
  const leave = () => setAsks(false)
  const send = async (_values: object, signal: AbortSignal) => {
    queries.setQueryData(consultationQuery(at).queryKey, await closeConsultation(at, { signal }))
    notify('The consultation is closed.')
    leave()
    await queries.invalidateQueries({ queryKey: ['consultations'] })
  }
  return (
    <>
      <TransitionButtons
        transitions={[CLOSE]}
        allowed={state === 'OPEN' ? [CLOSE.to] : []}
        whyNot={() => 'It is closed already.'}
        choose={() => setAsks(true)}
      />
      <Dialog opened={asks} close={leave} title="Close the consultation">
        <ProblemForm fields={[]} submit="Close the consultation" isDangerous send={send} cancel={leave}>
          <Text size="sm">{CLOSE.effect}</Text>
        </ProblemForm>
      </Dialog>
    </>
  )
}
