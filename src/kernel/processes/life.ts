import type { ChildProcess, Serializable } from 'node:child_process'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ToChild, ToSupervisor } from './messages.ts'

/** A process to be kept running. */
export type Place = {
  name: string
  /** What it is started with. */
  args: string[]
  /** Whether it answers requests, so that it counts for readiness. */
  listens: boolean
}

export type Program = {
  /** The file that each process runs. */
  program: string
  environment: Record<string, string>
}

/** One process from its start to its end. */
export type Life = Place & {
  isWorking(): boolean
  /** True once it does its work, false when it has ended before. */
  readonly begun: Promise<boolean>
  /** How it ended. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  tell(message: ToChild): void
  /** The page of its metrics; undefined when it does not say. */
  page(): Promise<string | undefined>
  /** Has it let its clients go and end; kills it when that takes longer. */
  leave(timeout_ms: number): Promise<void>
  kill(signal: NodeJS.Signals): void
}

const METRICS_TIMEOUT_MS = 2_000

/** Starts a process. */
export function beginLife({ program, environment }: Program, place: Place): Life {
  cluster.setupPrimary({ exec: program, args: place.args })
  const worker = cluster.fork(environment)
  closeUntaken(worker.process)
  const askers = new Map<number, (page: string) => void>()
  let isWorking = false
  let questions = 0
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve()).once('error', () => resolve()) // it could not even be started
  }).then(() => {
    isWorking = false
    return { code: worker.process.exitCode, signal: worker.process.signalCode }
  })
  const begun = new Promise<boolean>((resolve) => {
    worker.on('message', (message: ToSupervisor) => {
      if (message.kind === 'metrics') return askers.get(message.question)?.(message.page)
      isWorking = true
      resolve(true)
    })
    void ended.then(() => resolve(false))
  })
  const tell = (message: ToChild) => {
    if (worker.isConnected()) worker.send(message, () => {}) // what has ended need not be told anything
  }

  return {
    ...place,
    isWorking: () => isWorking,
    begun,
    ended,
    tell,
    async page() {
      const question = questions++
      const page = new Promise<string>((resolve) => askers.set(question, resolve))
      tell({ kind: 'metrics', question })
      const late = sleep(METRICS_TIMEOUT_MS, undefined, { ref: false })
      return Promise.race([page, ended.then(() => undefined), late]).finally(() => askers.delete(question))
    },
    async leave(timeout_ms) {
      tell({ kind: 'leave' })
      const late = setTimeout(() => worker.process.kill('SIGKILL'), timeout_ms)
      await ended
      clearTimeout(late)
    },
    kill: (signal) => void worker.process.kill(signal),
  }
}

/** A connection that a process was handed and died before it took it would stay open here, and its client wait for ever. */
function closeUntaken(child: ChildProcess): void {
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  let handed: { close?: () => void } | undefined
  child.send = (message: Serializable, handle?: unknown, ...rest: unknown[]) => {
    if (typeof handle === 'object' && handle !== null) handed = handle
    return send(message, handle, ...rest)
  }
  child.once('exit', () => handed?.close?.())
}
