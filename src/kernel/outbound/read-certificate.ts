import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as secure, type TLSSocket } from 'node:tls'

/** The certificate of a server; `error` says why this machine does not trust it. */
export type Certificate = { validUntil: Date; error: string | undefined }

type Server = { host: string; port: number; speaksPostgres?: boolean }

/** PostgreSQL answers this request with one byte: `S` when it goes on with TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const ACCEPTED = 'S'.charCodeAt(0)

/**
 * Connects, reads the certificate and hangs up; undefined when a PostgreSQL has none. Whether it is trusted is reported, not required: nothing is
 * sent over the connection.
 */
export async function readCertificate(server: Server, signal: AbortSignal): Promise<Certificate | undefined> {
  const plain = connect({ host: server.host, port: server.port, signal })
  try {
    await once(plain, 'connect', { signal })
    if (server.speaksPostgres && !(await acceptsTls(plain, signal))) return undefined
    return await readFrom(plain, server.host, signal)
  } finally {
    plain.destroy()
  }
}

async function acceptsTls(plain: Socket, signal: AbortSignal): Promise<boolean> {
  plain.write(SSL_REQUEST)
  const [answer] = (await once(plain, 'data', { signal })) as [Buffer]
  return answer[0] === ACCEPTED
}

async function readFrom(plain: Socket, host: string, signal: AbortSignal): Promise<Certificate> {
  const socket: TLSSocket = secure({ socket: plain, servername: host, rejectUnauthorized: false })
  await once(socket, 'secureConnect', { signal })
  const error: unknown = socket.authorizationError
  const { valid_to: validUntil } = socket.getPeerCertificate()
  socket.destroy()
  return { validUntil: new Date(validUntil), error: wordsOf(error) }
}

const wordsOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : undefined
