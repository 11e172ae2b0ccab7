import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { after } from 'node:test'

const SOCKET = '.s.PGSQL.5432'

type Watching = {
  /** Called with what the program sends to the database. */
  onRequest?: (bytes: Buffer) => void
  /** Called with what the database returns, before the program gets it. */
  onResponse?: (bytes: Buffer) => void
}

/**
 * A proxy between one process and the database, for tests that watch it or cut it. After `cut` nothing passes, and the
 * database sees that the process is gone, until `repair`.
 */
export async function startDatabaseProxy(url: string, { onRequest, onResponse }: Watching = {}) {
  const far = new URL(url)
  const isTcp = !far.searchParams.has('host')
  const folder = await mkdtemp(join(tmpdir(), 'banyan-way-'))
  await chmod(folder, 0o755)
  const sockets = new Set<Socket>()
  let isCut = false

  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const database = isTcp
      ? connect(Number(far.port), far.hostname)
      : connect(join(far.searchParams.get('host') ?? '', SOCKET))
    pass(near, database, onRequest)
    pass(database, near, onResponse)
  })

  function pass(from: Socket, to: Socket, look: ((bytes: Buffer) => void) | undefined): void {
    sockets.add(from)
    from.on('data', (bytes: Buffer) => {
      look?.(bytes)
      if (!from.destroyed && !to.destroyed) to.write(bytes)
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }

  server.listen(join(folder, SOCKET))
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  after(async () => {
    cut()
    server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const near = new URL(url)
  near.port = '' // the socket has the usual one in its name
  near.searchParams.set('host', folder)
  return { url: near.href, cut, remedy: () => void (isCut = false) }
}
