import assert from 'node:assert/strict'
import { once } from 'node:events'
import { until } from '../until.ts'
import type { Frame } from './modules.ts'

const OPEN_TIMEOUT_MS = 10_000
const SAMPLING_INTERVAL_US = 250

/** A CPU profile of V8. */
export type CpuProfile = {
  nodes: { id: number; callFrame: Frame }[]
  samples: number[]
  timeDeltas: number[]
}

type Inspected = { pid: number; url: string }

/**
 * Profiles a process while work runs. It must have been started with `--inspect-port`; the signal opens the inspector in
 * this process alone, not in its children.
 */
export async function profileDuring<T>(
  { pid, url }: Inspected,
  work: () => Promise<T>,
): Promise<{ profile: CpuProfile; result: T }> {
  process.kill(pid, 'SIGUSR1')
  const session = await openSession(url)
  try {
    await session.send('Profiler.enable')
    await session.send('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US })
    await session.send('Profiler.start')
    const result = await work()
    const { profile } = (await session.send('Profiler.stop')) as { profile: CpuProfile }
    return { profile, result }
  } finally {
    session.close()
  }
}

type Session = { send(method: string, params?: object): Promise<unknown>; close(): void }
type Message = { id?: number; result?: unknown; error?: { message: string } }

async function openSession(url: string): Promise<Session> {
  let address = ''
  await until(OPEN_TIMEOUT_MS, async () => {
    const response = await fetch(`${url}/json/list`).catch(() => undefined)
    const [target] = ((await response?.json()) ?? []) as { webSocketDebuggerUrl: string }[]
    address = target?.webSocketDebuggerUrl ?? ''
    return address !== ''
  })
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let sent = 0
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result, error } = JSON.parse(String(data)) as Message
    if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector closed its connection'))
  })
  return {
    send(method, params = {}) {
      const response = Promise.withResolvers<unknown>()
      waiting.set(++sent, response)
      socket.send(JSON.stringify({ id: sent, method, params }))
      return response.promise
    },
    close: () => socket.close(),
  }
}

/** Returns the microseconds by function, without those that it called. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): { frame: Frame; micros: number }[] {
  const micros = new Map<number, number>()
  for (const [position, node] of samples.entries())
    micros.set(node, (micros.get(node) ?? 0) + Math.max(0, timeDeltas[position] ?? 0))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  return [...micros].map(([node, of]) => {
    const frame = frames.get(node)
    assert(frame)
    return { frame, micros: of }
  })
}
