import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { after } from 'node:test'

/**
 * What happens to a request on its way: `lose` forwards it and drops the response, `cut` drops the connection before
 * the request is forwarded, `break` drops it in the middle of the response. A status is the proxy's own response.
 */
export type Disturbance =
  | 'pass'
  | 'lose'
  | 'cut'
  | 'break'
  | { delayMs: number }
  | { status: number; headers?: Record<string, string>; body?: string }

export type Passing = { method: string; path: string; headers: Record<string, string>; at: number }

/** Stands between a client and the server, as a network does on a bad day. `disturbanceOf` decides for each request. */
export async function openBadNetwork(origin: string, disturbanceOf: (request: Passing) => Disturbance = () => 'pass') {
  const state = { disturbanceOf, seen: [] as Passing[] }
  const server = createServer((request, response) => {
    void pass({ origin, state, request, response }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

type Context = {
  origin: string
  state: { disturbanceOf: (request: Passing) => Disturbance; seen: Passing[] }
  request: IncomingMessage
  response: ServerResponse
}

async function pass({ origin, state, request, response }: Context): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const passing = { method: String(request.method), path: String(request.url), headers, at: performance.now() }
  state.seen.push(passing)
  const disturbance = state.disturbanceOf(passing)
  if (disturbance === 'cut') return void response.destroy()
  if (typeof disturbance === 'object' && 'status' in disturbance)
    return void response.writeHead(disturbance.status, disturbance.headers).end(disturbance.body)
  if (typeof disturbance === 'object') await sleep(disturbance.delayMs, undefined, { ref: false })
  const { host: _, connection: __, 'content-length': ___, ...sent } = headers
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
  const init = { method: passing.method, headers: sent, redirect: 'manual' as const }
  const answer = await fetch(origin + passing.path, { ...init, ...(body && { body }) })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (disturbance === 'lose') return void response.destroy()
  const { 'content-encoding': ____, 'transfer-encoding': _____, ...received } = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, { ...received, 'content-length': String(bytes.length) })
  if (disturbance === 'break') return void response.write(bytes.subarray(0, 10), () => response.destroy())
  response.end(bytes)
}
