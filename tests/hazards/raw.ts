import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The bytes received over one connection until the server closed it, or until the timeout. */
export type RawResponse = { text: string; closed: boolean; elapsed_ms: number }

/** Sends exactly these bytes, as no regular client would, and reads the response. */
export async function sendRaw(port: number, bytes: string | Buffer, { timeout_ms = 3_000 } = {}): Promise<RawResponse> {
  const socket = await dial(port)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return readRaw(socket, timeout_ms)
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // a reset is one way of being closed
  await once(socket, 'connect')
  return socket
}

export async function readRaw(socket: Socket, timeout_ms: number): Promise<RawResponse> {
  const started = performance.now()
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const timer = setTimeout(() => socket.emit('timeout'), timeout_ms)
  const closed = await Promise.race([once(socket, 'close').then(() => true), once(socket, 'timeout').then(() => false)])
  clearTimeout(timer)
  socket.destroy()
  return { text: Buffer.concat(chunks).toString('latin1'), closed, elapsed_ms: performance.now() - started }
}

/** The status codes of the responses, in order; a response can follow the previous body without a line break. */
export const statusesIn = ({ text }: { text: string }): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
