import type { WriteStream } from 'node:fs'
import { type Client, clientOf, type Reply } from '../support/server.ts'
import type { Random } from './random.ts'

/** Which requests are counted together. */
export type Group = 'load' | 'hot' | 'bystander' | 'check'

export type ClientRequest = {
  group: Group
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  token?: string
  headers?: Record<string, string>
  body?: object
}

/** `unsent`: connection refused. `lost`: it is unknown whether it arrived. */
export type Sent = { outcome: 'responded'; reply: Reply } | { outcome: 'lost' | 'unsent' }

/** A response that is wrong whatever was requested. */
export type Offence = {
  /** A 500; a 503 without Retry-After; an error for a valid request; a response to another request; a late response. */
  sort: 'internal' | 'no_retry_after' | 'refused' | 'wrong' | 'late'
  text: string
}

/** Sends requests to one of the APIs and counts their outcomes. */
export type Traffic = {
  send(clientRequest: ClientRequest, random: Random): Promise<Sent>
  /** Records a response that the client should not have got. */
  offend(sort: Offence['sort'], clientRequest: ClientRequest, reply: Reply): void
  outcomes: Map<Group, Map<string, number>>
  offences: Offence[]
}

/** A client that waits for ten seconds must get its response within them, whatever is broken behind the API. */
const DEADLINE_MS = 10_000

type Target = { origin: string; frozen_ms(): number }

export function createTraffic({ apis, log }: { apis: Target[]; log: WriteStream }): Traffic {
  const targets = apis.map(({ origin, frozen_ms }) => ({ client: clientOf(origin), frozen_ms }))
  const outcomes: Traffic['outcomes'] = new Map()
  const offences: Offence[] = []
  const count = (group: Group, outcome: string) => {
    const counts = outcomes.get(group) ?? new Map<string, number>()
    outcomes.set(group, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
  }
  const offend = (sort: Offence['sort'], clientRequest: ClientRequest, { status, text }: Reply) =>
    void offences.push({ sort, text: `${clientRequest.method} ${clientRequest.path} returned ${status}: ${text}` })

  return {
    outcomes,
    offences,
    offend,
    async send(clientRequest, random) {
      const { client, frozen_ms } = random.pick(targets)
      const [from, frozenBefore_ms] = [performance.now(), frozen_ms()]
      const sent = await sendOnce(client, clientRequest)
      const took_ms = Math.round(performance.now() - from)
      count(clientRequest.group, outcomeOf(sent))
      log.write(`${lineOf(clientRequest, sent, took_ms)}\n`)
      // A frozen API cannot respond; its time after it resumes counts.
      if (took_ms - (frozen_ms() - frozenBefore_ms) > DEADLINE_MS)
        offences.push({ sort: 'late', text: `${clientRequest.method} ${clientRequest.path} ended after ${took_ms} ms` })
      if (sent.outcome !== 'responded') return sent
      const { status, headers } = sent.reply
      if (status === 500) offend('internal', clientRequest, sent.reply)
      if (status === 503 && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
        offend('no_retry_after', clientRequest, sent.reply)
      return sent
    },
  }
}

const outcomeOf = (sent: Sent) => (sent.outcome === 'responded' ? String(sent.reply.status) : sent.outcome)

/** For diagnosing a violation. */
function lineOf({ method, path, headers, body }: ClientRequest, sent: Sent, took_ms: number): string {
  const key = headers?.['idempotency-key']
  const request_id = sent.outcome === 'responded' ? sent.reply.body?.request_id : undefined
  return JSON.stringify({ at: new Date(), method, path, key, body, outcome: outcomeOf(sent), took_ms, request_id })
}

async function sendOnce(client: Client, { method, path, token, headers, body }: ClientRequest): Promise<Sent> {
  try {
    const sending = { ...(token !== undefined && { token }), ...(headers && { headers }), ...(body && { body }) }
    return { outcome: 'responded', reply: await client(method, path, sending) }
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    return { outcome: code === 'ECONNREFUSED' ? 'unsent' : 'lost' }
  }
}
