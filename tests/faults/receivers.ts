import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Random } from './random.ts'

/** The sender hangs up after 15 s. */
const LATE_MS = 16_000
/** The probability that the unsteady one fails at the first delivery of an event. */
const FAILS = 0.1
/** The number of slow first deliveries: each delays further events of one subject for a while. */
const LATE_MAX = 5

/** The deliveries to a partner's program. */
export type Receiver = {
  name: string
  url: string
  /** By the endpoint with this URL. */
  endpoint: { id: string; secret: string } | undefined
  /** The accepted texts of each event, in the order in which the events first arrived. */
  taken: Map<string, Set<string>>
  calls: number
  /** Failed on purpose. */
  failed: number
  /** Deliveries whose signature the public verifier rejects. */
  unverified: number
}

type Fail = (response: ServerResponse) => void

const respond500: Fail = (response) => void response.writeHead(500).end()
const hangUp: Fail = (response) => void response.destroy()
/** Set when nobody listens any more. */
const respondLate: Fail = (response) => void setTimeout(() => response.writeHead(204).end(), LATE_MS).unref()

/** Two receivers: one accepts everything, one sometimes fails at the first delivery of an event. */
export async function startReceivers(random: Random): Promise<{ receivers: Receiver[]; close(): Promise<void> }> {
  const never = () => undefined
  let late = 0
  const sometimes = () => {
    if (!random.chance(FAILS)) return undefined
    return late++ < LATE_MAX ? respondLate : random.pick([respond500, hangUp])
  }
  const opened = [await openReceiver('steady', never), await openReceiver('unsteady', sometimes)]
  return {
    receivers: opened.map(({ receiver }) => receiver),
    close: async () => opened.forEach(({ close }) => close()),
  }
}

async function openReceiver(name: string, failure: () => Fail | undefined) {
  const seen = new Set<string>()
  const receiver: Receiver = {
    name,
    url: '',
    endpoint: undefined,
    taken: new Map(),
    calls: 0,
    failed: 0,
    unverified: 0,
  }

  function take(text: string, { headers }: IncomingMessage, response: ServerResponse): void {
    receiver.calls++
    if (!isVerified(receiver.endpoint?.secret, text, headers as Record<string, string>)) receiver.unverified++
    const { id } = JSON.parse(text) as { id: string }
    const fail = seen.has(id) ? undefined : failure()
    seen.add(id)
    if (fail) {
      receiver.failed++
      return fail(response)
    }
    receiver.taken.set(id, (receiver.taken.get(id) ?? new Set()).add(text))
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (text += chunk))
    request.on('error', () => {}) // its sender was killed
    request.on('end', () => take(text, request, response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { receiver, close: () => server.close().closeAllConnections() }
}

function isVerified(secret: string | undefined, text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret ?? '').verify(text, headers)
    return true
  } catch {
    return false
  }
}
