import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createTargets } from '../../src/kernel/outbound/public-address.ts'
import type { Body } from './app.ts'

/** As in development. Names resolve to a documentation address, as if it were on the internet; it is never called. */
export const TARGETS = createTargets({
  ports: [443, 8443],
  allowsLoopback: true,
  resolve: async () => ['203.0.113.7'],
  isPublic: (address) => address === '203.0.113.7',
})

/** A delivery as a partner's program sees it. */
export type Received = { path: string; headers: IncomingHttpHeaders; text: string; event: Body }

type Respond = (received: Received, response: ServerResponse) => unknown

/** A partner's receiver on this machine; it accepts everything unless a test sets another behaviour. */
export async function openReceiver() {
  const received: Received[] = []
  const take: Respond = (_, response) => response.writeHead(204).end()
  const state = { respond: take, connections: 0 }
  const server = createServer((request: IncomingMessage, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const one: Received = { path: String(request.url), headers: request.headers, text, event: JSON.parse(text) }
      received.push(one)
      state.respond(one, response)
    })
  })
  server.on('connection', () => state.connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => state.connections,
    /** Sets its behaviour from now on; without one it accepts everything. */
    does: (respond: Respond = take) => void (state.respond = respond),
    responses: (status: number, text = '') =>
      void (state.respond = (_, response) => response.writeHead(status).end(text)),
    /** From now on it does not respond until the returned function is called with a status. */
    holds() {
      const held: ServerResponse[] = []
      state.respond = (_, response) => void held.push(response)
      return (status: number) => {
        for (const response of held.splice(0)) response.writeHead(status).end()
      }
    },
    ofType: (type: string) => received.filter(({ event }) => event.type === type),
  }
}

/** Whether the public verifier, which is all that a partner needs, accepts a delivery. */
export function isVerified(secret: string, { headers, text }: Pick<Received, 'headers' | 'text'>): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
