import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { table } from '../tools/reference/markdown.ts'
import { drive, repeating, requestText } from './drive.ts'
import { fill } from './fill.ts'
import type { ModeContext } from './part.ts'
import { quantile } from './report.ts'
import { openStage } from './stage.ts'
import { sendSteadily } from './steady-load.ts'

const TIMES = [0.5, 1, 2, 4]
const SECONDS = 10
const CONNECTIONS_MAX = 1_000
const PROBES_A_SECOND = 20

/** What became of requests that were due at a steady rate: how long each took from when it was due, by status. */
type Outcome = { took: Map<number, number[]>; cut: number }

/**
 * Sends lists of policies at multiples of the rate that a closed loop gets, over at most 1,000 connections, and probes beside
 * them. A request that finds no free connection waits for one, and the wait counts.
 */
export async function measureOverload({ closers, say }: ModeContext): Promise<string> {
  const stage = await openStage(closers, { say })
  const tenant = await fill(stage, say)
  await tenant.settle()
  const headers = { authorization: await stage.administrator('viewer') }
  const lists = tenant.people.map(({ userId }) => ({
    method: 'GET',
    path: `/v1/users/${userId}/insurance_policies`,
    headers,
  }))
  await drive(stage.productUrl, repeating(lists), { seconds: 3 })
  const { perSecond: capacity } = await drive(stage.productUrl, repeating(lists), { seconds: SECONDS })
  say(`closed loop: ${capacity.toFixed(0)} requests/s`)
  const rows: string[][] = []
  for (const times of TIMES) {
    const pool = createPool(stage.productUrl)
    const probes = createPool(stage.productUrl)
    const end = AbortSignal.timeout(SECONDS * 1_000)
    const [load, probed] = await Promise.all([
      sendAll(pool, { perSecond: capacity * times, end }, () => lists[randomInt(lists.length)] ?? lists[0]),
      sendAll(probes, { perSecond: PROBES_A_SECOND, end }, () => ({ method: 'GET', path: '/livez', headers: {} })),
    ])
    pool.close()
    probes.close()
    const served = load.took.get(200) ?? []
    const refused = load.took.get(503) ?? []
    const others = [...load.took].filter(([status]) => status !== 200 && status !== 503)
    rows.push([
      `${times} ×`,
      (served.length / SECONDS / capacity).toFixed(2),
      times_ms(served),
      times_ms(refused),
      times_ms(probed.took.get(200) ?? []),
      [...others.map(([status, { length }]) => `${length} × ${status}`), load.cut > 0 ? `${load.cut} cut` : '']
        .filter(Boolean)
        .join(', ') || '–',
    ])
    say(rows.at(-1)?.join('  ') ?? '')
    await sleep(2_000)
  }
  const head = ['offered', 'goodput', 'served p50, p99 ms', 'refused p50, p99 ms', '/livez p50, p99 ms', 'other']
  return table(head, rows)
}

const times_ms = (took: number[]): string =>
  took.length === 0 ? '–' : `${quantile(took, 0.5).toFixed(0)}, ${quantile(took, 0.99).toFixed(0)}`

type Request = { method: string; path: string; headers: Record<string, string> }
type Pool = ReturnType<typeof createPool>

/** Connections that are opened as they are needed; a request waits while all are in use. */
function createPool(url: string) {
  const { hostname: host, port } = new URL(url)
  const free: Socket[] = []
  const waiting: ((socket: Socket) => void)[] = []
  const all = new Set<Socket>()
  const give = (socket: Socket) => {
    const next = waiting.shift()
    if (next) next(socket)
    else free.push(socket)
  }
  async function take(): Promise<Socket> {
    for (let socket = free.pop(); socket; socket = free.pop()) if (!socket.destroyed) return socket
    if (all.size >= CONNECTIONS_MAX) return new Promise((resolve) => waiting.push(resolve))
    const socket = connect({ host, port: Number(port), noDelay: true })
    all.add(socket)
    socket.on('error', () => {}).once('close', () => all.delete(socket))
    await once(socket, 'connect')
    return socket
  }
  return { host: `${host}:${port}`, take, give, close: () => all.forEach((socket) => socket.destroy()) }
}

async function sendAll(
  pool: Pool,
  pace: { perSecond: number; end: AbortSignal },
  next: () => Request | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { took: new Map(), cut: 0 }
  const send = async (due: number) => {
    const request = next()
    if (!request) return
    const status = await exchange(pool, requestText(request, pool.host)).catch(() => undefined)
    if (status === undefined) outcome.cut++
    else {
      const took = outcome.took.get(status) ?? []
      took.push(performance.now() - due)
      outcome.took.set(status, took)
    }
  }
  await Promise.all(await sendSteadily(send, pace))
  return outcome
}

/** Sends a request and returns the status of its response. Rejects when the connection ends before it. */
async function exchange(pool: Pool, text: string): Promise<number> {
  const socket = await pool.take()
  const status = await new Promise<number>((resolve, reject) => {
    let received = ''
    const closed = () => reject(new Error('closed'))
    const read = (part: Buffer) => {
      received += part.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1]
      if (headEnd < 0 || received.length < headEnd + 4 + Number(length)) return
      socket.off('data', read).off('close', closed)
      resolve(Number(received.slice(9, 12)))
    }
    socket.on('data', read).once('close', closed)
    socket.write(text)
  })
  if (!socket.destroyed) pool.give(socket)
  return status
}
