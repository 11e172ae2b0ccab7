import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { unavailable } from '../refusal.ts'
import type { Outcome, Task } from './typesetter-thread.ts'

export type Typesetter = {
  /**
   * Typesets `<template>.typ` of the folder with the data; the bytes of a tagged PDF. The same input gives the same
   * bytes. 503 `unavailable` when too many wait, it takes too long or the thread dies. A fault of the template is an
   * Error that tells the place, never the data.
   */
  typeset(job: { template: string; data: object; madeAt: Date }): Promise<Uint8Array>
  /** Starts the thread, so that the first document need not wait for it; resolves when it is ready. */
  warmUp(): Promise<void>
  /** A hash of templates, fonts, engine version and this folder: what, beside the data, decides the bytes. */
  readonly revision: string
  /** Refuses what waits and ends the thread. */
  stop(): Promise<void>
}

/** At 20 ms a document the last of them waits two seconds. */
const WAITING_MAX = 100
/** The longest document there can be, an enrolment form of sixty pages, takes half a second. */
const TIME_LIMIT_MS = 10_000

type Settings = { templates: string; waitingMax?: number; timeLimit_ms?: number }
type Order = { task: Task; resolve: (pdf: Uint8Array) => void; reject: (error: Error) => void }

/**
 * Sets documents one after the other in a thread of its own, which starts at the first use and is replaced when it dies.
 * The engine cannot be interrupted: a thread over its time ends when the engine returns, and nobody waits for that.
 */
export function openTypesetter({
  templates,
  waitingMax = WAITING_MAX,
  timeLimit_ms = TIME_LIMIT_MS,
}: Settings): Typesetter {
  const waiting: Order[] = []
  let current: { order: Order; timer: NodeJS.Timeout } | null = null
  let thread: Worker | null = null
  let isStopped = false
  let revision: string | undefined

  function startNext(): void {
    const order = current ? undefined : waiting.shift()
    if (!order) return
    thread ??= startThread()
    thread.ref() // somebody waits for it now; an idle thread does not keep the process alive
    thread.postMessage(order.task, [])
    const timer = setTimeout(() => void loseThread(new Error('a document takes too long')), timeLimit_ms)
    current = { order, timer }
  }

  function startThread(): Worker {
    const started = new Worker(new URL('typesetter-thread.ts', import.meta.url), { workerData: { templates } })
    const lose = (cause: unknown) => {
      if (thread === started) void loseThread(cause)
    }
    started.on('message', (outcome: Outcome) => {
      if (thread !== started) return
      const order = finishCurrent()
      if ('pdf' in outcome) order?.resolve(outcome.pdf)
      else order?.reject(new Error(`a template is at fault: ${outcome.fault}`))
      startNext()
    })
    started.on('error', lose)
    started.on('exit', () => lose(new Error('the thread of the typesetter ended')))
    return started
  }

  /** What is under way is refused; those who wait get a new thread. */
  async function loseThread(cause: unknown): Promise<void> {
    const lost = thread
    const order = finishCurrent()
    thread = null
    order?.reject(unavailable(cause))
    startNext()
    await lost?.terminate()
  }

  function finishCurrent(): Order | undefined {
    clearTimeout(current?.timer)
    const order = current?.order
    current = null
    thread?.unref()
    return order
  }

  const inTurn = (task: Task) =>
    new Promise<Uint8Array>((resolve, reject) => {
      if (isStopped) return reject(unavailable(new Error('the typesetter has stopped')))
      if (waiting.length >= waitingMax) return reject(unavailable(new Error('too many documents wait')))
      waiting.push({ task, resolve, reject })
      startNext()
    })

  return {
    typeset: ({ template, data, madeAt }) =>
      inTurn({ template, data: JSON.stringify(data), madeAt: Math.floor(madeAt.getTime() / 1000) }),
    warmUp: async () => void (await inTurn(null)),
    get revision() {
      return (revision ??= revisionOf(templates))
    },
    stop: async () => {
      isStopped = true
      const cause = new Error('the typesetter stops')
      for (const { reject } of waiting.splice(0)) reject(unavailable(cause))
      await loseThread(cause)
    },
  }
}

const require = createRequire(import.meta.url)

function revisionOf(templates: string): string {
  const engine = require('@myriaddreamin/typst-ts-node-compiler/package.json') as { version: string }
  const hash = createHash('sha256').update(engine.version)
  for (const folder of [templates, import.meta.dirname]) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(typ|ttf|ts)$/.test(name),
    )
    for (const name of names.toSorted()) {
      const content = createHash('sha256').update(readFileSync(join(folder, name)))
      hash.update(`\0${name}\0`).update(content.digest())
    }
  }
  return hash.digest('base64url')
}
