import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Webhook } from 'standardwebhooks'
import { escapeHtml } from '../src/kernel/http/pages.ts'
import type { Company } from './start-page.ts'

/** The behaviour of a receiver: normal; failing with a 500; slow; responding that it is gone. */
const MODES = ['ok', 'fail', 'slow', 'gone'] as const
type Mode = (typeof MODES)[number]

const STATUS_OF: Record<Mode, number> = { ok: 200, fail: 500, slow: 200, gone: 410 }
const SLOW_MS = 2_000
const SHOWN_MAX = 500

type Behaviour = { mode: Mode; slow_ms: number; secret: string }
type Receiver = Behaviour & { deliveries: ReturnType<typeof deliveryOf>[] }
type NamedRoute = { Params: { name: string } }

/**
 * Mounts receivers of webhooks under any name: `POST /webhooks/mine` is an endpoint, `GET` shows its deliveries as a
 * page or as JSON, and `PUT /webhooks/mine/behaviour` sets the secret and the behaviour. `DELETE` deletes everything.
 */
export function webhookRoutes(app: FastifyInstance): Company {
  const receivers = new Map<string, Receiver>()
  const receiverOf = ({ params }: { params: NamedRoute['Params'] }): Receiver => {
    const known = receivers.get(params.name) ?? { mode: 'ok', slow_ms: SLOW_MS, secret: '', deliveries: [] }
    receivers.set(params.name, known)
    return known
  }

  app.put<NamedRoute & { Body: Partial<Behaviour> }>(
    '/webhooks/:name/behaviour',
    { schema: { body: behaviourSchema } },
    (request) => {
      const { deliveries: _, ...behaviour } = Object.assign(receiverOf(request), request.body)
      return behaviour
    },
  )

  app.get<NamedRoute>('/webhooks/:name', (request, reply) => {
    const { deliveries, mode } = receiverOf(request)
    if (!request.headers.accept?.includes('text/html')) return { mode, deliveries }
    return reply.type('text/html; charset=utf-8').send(page(request.params.name, { mode, deliveries }))
  })

  app.delete<NamedRoute>('/webhooks/:name', ({ params }) => ({ forgotten: receivers.delete(params.name) }))

  // The signature covers the bytes, so they must not be parsed before.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.post<NamedRoute & { Body: string }>('/webhooks/:name', async (request, reply) => {
      const receiver = receiverOf(request)
      const response_status = STATUS_OF[receiver.mode]
      receiver.deliveries.push(deliveryOf(request, { secret: receiver.secret, response_status }))
      if (receiver.deliveries.length > SHOWN_MAX) receiver.deliveries.shift()
      if (receiver.mode === 'slow') await sleep(receiver.slow_ms, undefined, { ref: false })
      return reply.code(response_status).send({ received: receiver.deliveries.length })
    })
  })

  return {
    name: 'Receivers of webhooks',
    setting: 'the url of a webhook endpoint',
    path: '/webhooks/{name}',
    requests: ['GET /webhooks/{name}', `PUT /webhooks/{name}/behaviour {"mode": "${MODES.join('" or "')}"}`],
    state: () => ({ receivers: receivers.size }),
  }
}

const behaviourSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    mode: { enum: [...MODES] },
    slow_ms: { type: 'integer', minimum: 0, maximum: 60_000 },
    secret: { type: 'string' },
  },
}

type Incoming = { body: string; headers: Record<string, string | string[] | undefined> }

type Reception = { secret: string; response_status: number }

/** A delivery as it was received; `signature` is the result of the check, `not checked` without a secret. */
function deliveryOf({ body, headers }: Incoming, { secret, response_status }: Reception) {
  const event = parsed(body)
  const { type } = (event ?? {}) as { type?: unknown }
  return {
    received_at: new Date().toISOString(),
    id: String(headers['webhook-id']),
    type: String(type),
    signature: secret === '' ? 'not checked' : isSigned(secret, { body, headers }) ? 'valid' : 'invalid',
    response_status,
    event,
  }
}

/** Verifies a delivery; a partner needs nothing more. */
function isSigned(secret: string, { body, headers }: Incoming): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function page(name: string, { mode, deliveries }: Pick<Receiver, 'mode' | 'deliveries'>): string {
  const rows = deliveries
    .toReversed()
    .map(({ received_at, id, type, signature, response_status, event }) =>
      [received_at, type, id, signature, String(response_status), JSON.stringify(event)]
        .map((cell) => `<td>${escapeHtml(cell)}</td>`)
        .join(''),
    )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<title>Webhooks: ${escapeHtml(name)}</title>
<style>body { font: 14px system-ui; margin: 2em } td, th { text-align: left; padding: .3em 1em .3em 0; vertical-align: top } td:last-child { font-family: monospace; word-break: break-all }</style>
<h1>${escapeHtml(name)}: ${deliveries.length} received</h1>
<p>Current mode: <b>${mode}</b>. Change it with <code>PUT /webhooks/${escapeHtml(name)}/behaviour</code> with
<code>{"mode":"${MODES.join('|')}", "secret":"whsec_…"}</code>.</p>
<table>
<tr><th>Received</th><th>Type</th><th>Id</th><th>Signature</th><th>Response</th><th>Event</th></tr>
${rows.map((row) => `<tr>${row}</tr>`).join('\n')}
</table>
</html>
`
}
