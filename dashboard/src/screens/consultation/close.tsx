import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ConsultationRef, closeConsultation, consultationQuery } from '../../api/consultations.ts'
import { notify, notifyError } from '../../parts/notices.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'

const CLOSE = {
  to: 'CLOSED',
  label: 'Close',
  effect: 'Nobody can write in it any more. This cannot be undone.',
  isDangerous: true,
} as const

/** Ends a consultation. */
export function Close({ at, state }: { at: ConsultationRef; state: string }) {
  const queries = useQueryClient()
  const close = useMutation({
    mutationFn: () => closeConsultation(at),
    onSuccess: async (consultation) => {
      queries.setQueryData(consultationQuery(at).queryKey, consultation)
      notify('The consultation is closed.')
      await queries.invalidateQueries({ queryKey: ['consultations'] })
    },
    onError: notifyError,
  })
  return (
    <TransitionButtons
      transitions={[CLOSE]}
      allowed={state === 'OPEN' ? [CLOSE.to] : []}
      whyNot={() => 'It is closed already.'}
      choose={() => close.mutate()}
      isBusy={close.isPending}
    />
  )
}
