import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'node:http'

const POLL_MS = 50
/** A connection idle for this long is closed. */
const IDLE_MS = 5_000
/** The time limit for requests in progress. */
const REQUEST_MS = 15_000

/**
 * Moves clients to other processes before the server is closed, so that no request fails: new connections go elsewhere,
 * and every response closes its connection. Resolves when no request is in progress.
 */
export async function drain({ server }: { server: Server }): Promise<void> {
  server.maxConnections = 0 // with a shared port, the supervisor then passes the connection to another process
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  await allClosed(server, IDLE_MS)
  server.closeIdleConnections()
  await allClosed(server, REQUEST_MS)
}

async function allClosed(server: Server, timeout_ms: number): Promise<void> {
  const deadline = performance.now() + timeout_ms
  while (performance.now() < deadline && (await countConnections(server)) > 0) await sleep(POLL_MS)
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
