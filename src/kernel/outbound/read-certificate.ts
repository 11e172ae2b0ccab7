import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as secure } from 'node:tls'

/** The certificate of a server: how long it is valid, or OpenSSL's code of why this machine does not trust it. */
export type Certificate = { validUntil: Date; error: null } | { validUntil: null; error: string }

type Server = { host: string; port: number; speaksPostgres?: boolean }

/** PostgreSQL answers this request with one byte: `S` when it goes on with TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const UNTRUSTED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)/
const ACCEPTED = 'S'.charCodeAt(0)

/**
 * Connects, reads the certificate and hangs up; undefined when a PostgreSQL has none. Nothing is sent over the connection. A certificate
 * that this machine does not trust ends the connection before it can be read: then only the reason is known.
 */
export async function readCertificate(server: Server, signal: AbortSignal): Promise<Certificate | undefined> {
  const plain = connect({ host: server.host, port: server.port, signal })
  try {
    await once(plain, 'connect', { signal })
    if (server.speaksPostgres && !(await acceptsTls(plain, signal))) return undefined
    return await readFrom(plain, server.host, signal)
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (UNTRUSTED.test(code)) return { validUntil: null, error: code }
    throw error
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
  const socket = secure({ socket: plain, servername: host })
  await once(socket, 'secureConnect', { signal })
  const { valid_to: validUntil } = socket.getPeerCertificate()
  socket.destroy()
  return { validUntil: new Date(validUntil), error: null }
}
