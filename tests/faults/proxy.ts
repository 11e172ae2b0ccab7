import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Frame, frameReader } from './frames.ts'
import { writeWatch } from './statements.ts'

/**
 * What happens to a write on its way: `before`, the connection breaks and the database never receives it; `after`, the
 * database has executed it and the connection breaks instead of its response; `silence`, the same without a break.
 */
export type Cut = 'before' | 'after' | 'silence'

/** A proxy between one API and the database. */
export type Proxy = {
  port: number
  /** Cuts the next write; false when none came in time. */
  cutNext(cut: Cut, timeout_ms: number): Promise<boolean>
  close(): Promise<void>
}

/** A request to cut, which the first write on any connection takes. */
type Order = { cut: Cut; taken: () => void }
type Orders = { next: Order | undefined }

export async function startProxy(databasePort: number): Promise<Proxy> {
  const orders: Orders = { next: undefined }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(databasePort, '127.0.0.1')
    for (const socket of [client, database]) {
      sockets.add(socket.setNoDelay())
      socket.once('close', () => sockets.delete(socket))
    }
    join({ client, database }, orders)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async cutNext(cut, timeout_ms) {
      const { promise, resolve } = Promise.withResolvers<true>()
      const order = { cut, taken: () => resolve(true) }
      orders.next = order
      const isCut = await Promise.race([promise, sleep(timeout_ms, false as const, { ref: false })])
      if (orders.next === order) orders.next = undefined
      return isCut
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Sockets = { client: Socket; database: Socket }

/** Passes messages on in both directions until a request to cut is taken. */
function join({ client, database }: Sockets, orders: Orders): void {
  const [fromClient, fromDatabase] = [frameReader({ isClient: true }), frameReader({ isClient: false })]
  const makesFinal = writeWatch()
  const part = () => [client, database].forEach((socket) => socket.destroy())
  /** The number of pending responses: one for the start, one for each simple query and for each `Sync`. */
  let asked = 0
  let responded = 0
  let cut: { at: number; isSilent: boolean } | undefined

  /** False when the message must not be passed on. */
  function pass(frame: Frame): boolean {
    if (['', 'Q', 'S'].includes(frame.type)) asked++
    if (!makesFinal(frame) || !orders.next || cut) return true
    const order = orders.next
    orders.next = undefined
    order.taken()
    if (order.cut === 'before') part()
    else cut = { at: frame.type === 'Q' ? asked : asked + 1, isSilent: order.cut === 'silence' }
    return order.cut !== 'before'
  }

  client.on('data', (chunk: Buffer) => {
    for (const frame of fromClient(chunk)) {
      if (!pass(frame)) return
      database.write(frame.bytes)
    }
  })
  database.on('data', (chunk: Buffer) => {
    responded += fromDatabase(chunk).filter(({ type }) => type === 'Z').length
    if (!cut || responded < cut.at) client.write(chunk)
    else if (!cut.isSilent) part()
  })
  for (const socket of [client, database]) socket.once('error', part).once('close', part)
}
