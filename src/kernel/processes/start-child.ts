import type { ChildProcess, Serializable } from 'node:child_process'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ToChild, ToSupervisor } from './messages.ts'

export type ChildSettings = {
  name: string
  args: string[]
  /** Whether it serves the API and so counts for readiness. */
  isApi: boolean
}

export type Program = {
  /** The file that every child process runs. */
  program: string
  environment: Record<string, string>
}

/** A child process, as seen from the supervisor. */
export type StartedChild = ReturnType<typeof startChild>

const METRICS_TIMEOUT_MS = 2_000
/** A process that does not respond for so long is frozen, or gets no CPU time. */
const PING_TIMEOUT_MS = 5_000

export function startChild({ program, environment }: Program, settings: ChildSettings) {
  cluster.setupPrimary({ exec: program, args: settings.args })
  const worker = cluster.fork(environment)
  closeUnacceptedConnection(worker.process)
  const pending = new Map<number, (page: string) => void>()
  let isReady = false
  let lastId = 0
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve()).once('error', () => resolve()) // `error`: it could not be started
  }).then(() => {
    isReady = false
    return { code: worker.process.exitCode, signal: worker.process.signalCode }
  })
  const started = new Promise<boolean>((resolve) => {
    worker.on('message', (message: ToSupervisor) => {
      if (message.kind === 'metrics') return pending.get(message.id)?.(message.page)
      if (message.kind === 'pong') return pending.get(message.id)?.('')
      isReady = true
      resolve(true)
    })
    void exited.then(() => resolve(false))
  })
  const send = (message: ToChild) => {
    if (worker.isConnected()) worker.send(message, () => {}) // an error means that it has exited
  }

  /** Returns its response; undefined when there is none in time. */
  const ask = (kind: 'metrics' | 'ping', timeout_ms: number): Promise<string | undefined> => {
    const id = ++lastId
    const response = new Promise<string>((resolve) => pending.set(id, resolve))
    send({ kind, id })
    const timeout = sleep(timeout_ms, undefined, { ref: false })
    return Promise.race([response, exited.then(() => undefined), timeout]).finally(() => pending.delete(id))
  }

  return {
    ...settings,
    isReady: () => isReady,
    /** Resolves to true when it is ready, to false when it has exited before. */
    started,
    exited,
    send,
    /** Returns its metrics; undefined when it does not respond in time. */
    metrics: () => ask('metrics', METRICS_TIMEOUT_MS),
    /** Whether it runs without responding; one that has exited is restarted anyway. */
    async isHung(): Promise<boolean> {
      return (await ask('ping', PING_TIMEOUT_MS)) === undefined && isReady
    },
    /** Drains and stops it; kills it after the timeout. */
    async leave(timeout_ms: number): Promise<void> {
      send({ kind: 'leave' })
      const timeout = setTimeout(() => worker.process.kill('SIGKILL'), timeout_ms)
      await exited
      clearTimeout(timeout)
    },
    kill: (signal: NodeJS.Signals) => void worker.process.kill(signal),
  }
}

/** Closes the connection that was passed to a process which exited before it accepted it. Node leaves it open for ever. */
function closeUnacceptedConnection(child: ChildProcess): void {
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  let last: { close?: () => void } | undefined
  child.send = (message: Serializable, handle?: unknown, ...rest: unknown[]) => {
    if (typeof handle === 'object' && handle !== null) last = handle
    return send(message, handle, ...rest)
  }
  child.once('exit', () => last?.close?.())
}
