import type { WebhookEndpoint } from '@banyan/client'
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { InputError } from '../../api/problem.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { type Field, ProblemForm } from '../../parts/problem-form.tsx'
import { amountText, inputTime, timeFromInput } from '../../parts/texts.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const FIELDS: readonly Field[] = [
  {
    pointer: '/status',
    label: 'Which events',
    choices: [
      { value: 'FAILED', label: 'Those whose delivery has failed' },
      { value: '', label: 'Every matching event, also those that have arrived' },
    ],
  },
  { pointer: '/from', label: 'From, time of India', isTime: true, isRequired: true },
  { pointer: '/to', label: 'To, time of India', isTime: true, isRequired: true },
]

type Values = Readonly<Record<string, string>>

/** Sends events of a time again: it counts them first, and sends them when that number is confirmed. */
export function ReplayRange({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const [initial, setInitial] = useState<Values>()
  /** What was counted, and how many it is. */
  const [counted, setCounted] = useState<{ values: Values; count: number }>()
  const queries = useQueryClient()
  const close = () => {
    setInitial(undefined)
    setCounted(undefined)
  }
  const begin = () => {
    const now = Date.now()
    // The field has whole minutes, and the one that runs belongs to the time.
    const [from, to] = [new Date(now - DAY_MS), new Date(now + MINUTE_MS)]
    setInitial({ '/status': 'FAILED', '/from': inputTime(from), '/to': inputTime(to) })
  }
  const isCounted = (values: Values) => counted !== undefined && counted.values === values
  const send = async (values: Values, signal: AbortSignal) => {
    const time = (pointer: string) =>
      timeFromInput(values[pointer] ?? '') ?? fail(new InputError(pointer, 'Choose a day and a time.'))
    const range = {
      from: time('/from'),
      to: time('/to'),
      ...(values['/status'] === 'FAILED' && { status: 'FAILED' as const }),
    }
    if (!isCounted(values) || counted?.count === 0) {
      const { queued } = await banyan.webhookEndpoints.replayEvents(id, { ...range, dry_run: true }, { signal })
      return setCounted({ values, count: queued })
    }
    const { queued } = await banyan.webhookEndpoints.replayEvents(id, range, { signal })
    notify(`${eventsText(queued)} ${queued === 1 ? 'is' : 'are'} sent again.`)
    close()
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  return (
    <>
      <Button size="xs" variant="default" disabled={status !== 'ACTIVE'} onClick={begin}>
        Replay a time…
      </Button>
      <Dialog opened={initial !== undefined} close={close} title="Replay a time">
        {initial && (
          <ProblemForm
            fields={FIELDS}
            initial={initial}
            submit={(values) =>
              isCounted(values) && counted?.count !== 0 ? `Send ${eventsText(counted?.count ?? 0)} again` : 'Count them'
            }
            send={send}
            cancel={close}
            follows={(values) =>
              isCounted(values) && (
                <Text size="sm">
                  {counted?.count === 0 ? NONE : `${eventsText(counted?.count ?? 0)} would be sent again.`}
                </Text>
              )
            }
          >
            <Text size="sm">Events keep their ids, so a receiver knows those that it has.</Text>
          </ProblemForm>
        )}
      </Dialog>
    </>
  )
}

const NONE = 'There are none. Deliveries that are pending are tried again without you.'

const eventsText = (count: number): string => amountText(count, 'event')

function fail(error: Error): never {
  throw error
}
