import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import type { Exchange } from './exchange.ts'

/** How long a body is still read after its response. */
const LINGER_MS = 2_000

/**
 * Reads the rest of a body after its response. A connection closed with unread bytes is reset, and a client or a balancer that sends first
 * and listens later would see the reset instead of the response (RFC 9112, 9.6). One that finishes in time keeps the connection.
 */
export function readOnAfter({ request, reply }: Exchange): void {
  const { complete = true } = request.raw as { complete?: boolean } // missing in injected requests
  if (!complete) reply.raw.once('finish', () => void discard(request.raw))
}

async function discard(body: IncomingMessage): Promise<void> {
  body.resume()
  await finished(body, { writable: false, signal: AbortSignal.timeout(LINGER_MS) }).catch(() => body.socket.destroy())
}
