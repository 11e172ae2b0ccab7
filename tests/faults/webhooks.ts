import { type Context, read } from './member.ts'
import { repeatUntilDone } from './persist.ts'
import type { Receiver } from './receivers.ts'

/** An event as in the program's log. */
export type LoggedEvent = { id: string; subject: string; type: string }

export type Webhooks = {
  receivers: Receiver[]
  /** The program's whole log of events, in order. */
  readLog(): Promise<LoggedEvent[]>
}

const PAGE = 100

/** Has every event of the platform sent to each receiver from now on. */
export async function openWebhooks(context: Omit<Context, 'webhooks'>, receivers: Receiver[]): Promise<Webhooks> {
  const token = await context.tenant.platform()
  for (const receiver of receivers) {
    const body = { url: receiver.url, event_types: ['*'] }
    const headers = { 'idempotency-key': context.random.word() }
    const clientRequest = {
      group: 'check',
      method: 'POST',
      path: '/v1/webhook_endpoints',
      token,
      headers,
      body,
    } as const
    const { id, secret } = (await repeatUntilDone(context, clientRequest)).body
    receiver.endpoint = { id, secret }
  }
  const logged: LoggedEvent[] = []
  let after: string | null = null
  return {
    receivers,
    async readLog() {
      for (;;) {
        const cursor = after === null ? '' : `&after=${after}`
        const page = await read(context, `/v1/events?limit=${PAGE}${cursor}`)
        for (const { id, subject, type } of page.data) logged.push({ id, subject, type })
        after = page.next ?? after
        if (!page.has_more) return logged
      }
    },
  }
}

/** What each receiver must get: all events since the last of their endpoints was created. */
export const owed = (logged: LoggedEvent[]): LoggedEvent[] =>
  logged.slice(logged.findLastIndex(({ type }) => type === 'webhook_endpoint.enabled') + 1)

/** The number of deliveries that a receiver has not accepted but must get. */
export const countMissing = ({ receivers }: Pick<Webhooks, 'receivers'>, logged: LoggedEvent[]): number =>
  receivers.reduce((sum, { taken }) => sum + owed(logged).filter(({ id }) => !taken.has(id)).length, 0)
