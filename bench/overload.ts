import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { table } from '../tools/reference/markdown.ts'
import { drive, parseResponse, repeating, requestText } from './drive.ts'
import { fill } from './fill.ts'
import type { ModeContext } from './part.ts'
import { quantile } from './report.ts'
import { openStage } from './stage.ts'
import { sendSteadily } from './steady-load.ts'

const TIMES = [0.5, 1, 2, 4]
const SECONDS = 10
const CONNECTIONS = 1_000
const PROBES_A_SECOND = 20
/** What the API gets of a processor, so that it is the limit and not what sends to it: 30 of each 100 ms. */
const SHARE_MS = 30
const PERIOD_MS = 100

/** A process of its own, whose timers nothing delays. It stops and continues the API; ended, it leaves it running. */
const THROTTLE = `const pid = Number(process.argv[1]), { setTimeout: wait } = require('node:timers/promises')
process.on('SIGTERM', () => { process.kill(pid, 'SIGCONT'); process.exit() })
const run = async () => { for (;;) { process.kill(pid, 'SIGCONT'); await wait(${SHARE_MS}); process.kill(pid, 'SIGSTOP'); await wait(${PERIOD_MS - SHARE_MS}) } }
run().catch(() => process.exit())`

/**
 * What became of requests that were due at a steady rate: how long each took from when it was due, by status. `unsent`: all
 * connections were in use.
 */
type Outcome = { took: Map<number, number[]>; cut: number; unsent: number }

/**
 * Sends lists of policies at multiples of the rate that a closed loop gets, over 1,000 connections, and probes alongside them,
 * while the API has a part of a processor only.
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
  const throttle = spawn(process.execPath, ['-e', THROTTLE, String(stage.productPid)], { stdio: 'ignore' })
  closers.push(async () => void throttle.kill())
  const { perSecond: capacity } = await drive(stage.productUrl, repeating(lists), { seconds: SECONDS })
  say(`closed loop: ${capacity.toFixed(0)} requests/s`)
  const rows: string[][] = []
  for (const times of TIMES) {
    const pool = await createPool(stage.productUrl, CONNECTIONS)
    const probes = await createPool(stage.productUrl, PROBES_A_SECOND)
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
      [
        ...others.map(([status, { length }]) => `${length} × ${status}`),
        load.cut > 0 ? `${load.cut} cut` : '',
        load.unsent > 0 ? `${load.unsent} unsent` : '',
      ]
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
type Pool = Awaited<ReturnType<typeof createPool>>

/** So many are opened at once: a server has room for 511 that it has not accepted yet. */
const OPENED_AT_ONCE = 50

/** Opens connections before anything is measured. */
async function createPool(url: string, size: number) {
  const { hostname: host, port } = new URL(url)
  const free: Socket[] = []
  while (free.length < size) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, size - free.length) }, () =>
      connect({ host, port: Number(port), noDelay: true }).on('error', () => {}),
    )
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    free.push(...some)
  }
  const all = [...free]
  return {
    host: `${host}:${port}`,
    /** Returns a connection that no request uses; undefined when there is none. */
    take(): Socket | undefined {
      for (let socket = free.pop(); socket; socket = free.pop()) if (!socket.destroyed) return socket
      return undefined
    },
    give: (socket: Socket) => void free.push(socket),
    close: () => all.forEach((socket) => socket.destroy()),
  }
}

async function sendAll(
  pool: Pool,
  pace: { perSecond: number; end: AbortSignal },
  next: () => Request | undefined,
): Promise<Outcome> {
  const outcome: Outcome = { took: new Map(), cut: 0, unsent: 0 }
  const send = async (due: number) => {
    const request = next()
    if (!request) return
    const socket = pool.take()
    if (!socket) {
      outcome.unsent++
      return
    }
    const status = await exchange(socket, requestText(request, pool.host)).catch(() => undefined)
    if (!socket.destroyed) pool.give(socket)
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
const exchange = (socket: Socket, text: string): Promise<number> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const closed = () => reject(new Error('closed'))
    const read = (part: Buffer) => {
      received = Buffer.concat([received, part])
      const response = parseResponse(received)
      if (!response) return
      socket.off('data', read).off('close', closed)
      resolve(response.status)
    }
    socket.on('data', read).once('close', closed)
    socket.write(text)
  })
