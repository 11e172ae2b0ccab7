import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './server.ts'

const LOOK_MS = 50
/** Who has sent nothing for so long is not about to. */
const PATIENCE_MS = 5_000
/** No request takes longer to arrive, and hardly one to be answered. */
const REQUEST_MS = 15_000

/**
 * Lets the clients go before the server is closed, without an error for anybody: new connections go to other processes, and every
 * response is the last one of its connection. Resolves when no request is under way any more.
 */
export async function letGo({ server }: App): Promise<void> {
  server.maxConnections = 0 // in a process that shares its port the supervisor then hands a connection to another one
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  await noneLeft(server, PATIENCE_MS)
  server.closeIdleConnections()
  await noneLeft(server, REQUEST_MS)
}

async function noneLeft(server: App['server'], timeout_ms: number): Promise<void> {
  const deadline = performance.now() + timeout_ms
  while (performance.now() < deadline && (await connectionsOf(server)) > 0) await sleep(LOOK_MS)
}

const connectionsOf = (server: App['server']): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
