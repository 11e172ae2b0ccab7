import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../refusal.ts'
import type { Outcome, Task } from './typesetter-process.ts'

export type Typesetter = {
  /**
   * Typesets `<template>.typ` of the folder with the data; the bytes of a tagged PDF. The same input gives the same
   * bytes. 503 `unavailable` when too many wait, it takes too long, the engine dies, or `signal` says that nobody waits for
   * it any more. A fault of the template is an Error that tells the place, never the data.
   */
  typeset(job: { template: string; data: object; madeAt: Date; signal?: AbortSignal }): Promise<Uint8Array>
  /** Starts the engine, so that the first document need not wait for it; resolves when it is ready. */
  warmUp(): Promise<void>
  /** A hash of templates, fonts, engine version and this folder: what, beside the data, decides the bytes. */
  readonly revision: string
  /** Refuses what waits and ends the engine. */
  stop(): Promise<void>
}

const WAITING_MAX = 100
/** At 20 ms a document a hundred of them are set by then; who waits longer does so behind very long ones. */
const WAITING_LIMIT_MS = 3_000
/** The longest document there can be, of sixty pages in many scripts, takes two seconds. */
const TIME_LIMIT_MS = 10_000

type Settings = { templates: string; waitingMax?: number; waitingLimit_ms?: number; timeLimit_ms?: number }
type Order = { task: Task; resolve: (pdf: Uint8Array) => void; reject: (error: Error) => void }

/**
 * Sets documents one after the other in a process of its own, which starts at the first use and is replaced when it ends.
 * Not in a thread: the engine is native code, and there are names over which it aborts the whole process it runs in.
 */
export function openTypesetter({
  templates,
  waitingMax = WAITING_MAX,
  waitingLimit_ms = WAITING_LIMIT_MS,
  timeLimit_ms = TIME_LIMIT_MS,
}: Settings): Typesetter {
  const waiting: Order[] = []
  let current: { order: Order; timer: NodeJS.Timeout } | null = null
  let engine: ChildProcess | null = null
  let isStopped = false
  let revision: string | undefined

  function startNext(): void {
    const order = current ? undefined : waiting.shift()
    if (!order) return
    engine ??= startEngine()
    hold(engine) // somebody waits for it now; an idle engine does not keep this process alive
    const timer = setTimeout(() => loseEngine(new Error('a document takes too long')), timeLimit_ms)
    current = { order, timer }
    engine.send(order.task, (error) => error && loseEngine(error))
  }

  function startEngine(): ChildProcess {
    const started = fork(ENGINE, [templates], {
      serialization: 'advanced',
      execArgv: [],
      env: {}, // no secret of ours is in it
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // what it says when it aborts can quote a name
    })
    const lose = (cause: Error) => {
      if (engine === started) loseEngine(cause)
    }
    started.on('message', (outcome: Outcome) => {
      if (engine !== started) return
      const order = finishCurrent()
      if ('pdf' in outcome) order?.resolve(outcome.pdf)
      else order?.reject(new Error(`a template is at fault: ${outcome.fault}`))
      startNext()
    })
    started.on('error', lose)
    started.on('exit', (code, signal) => lose(new Error(`the typesetting engine ended: ${signal ?? code}`)))
    return started
  }

  /** What is under way is refused; those who wait get a new engine. */
  function loseEngine(cause: Error): void {
    const order = finishCurrent()
    engine?.kill('SIGKILL')
    engine = null
    order?.reject(unavailable(cause))
    startNext()
  }

  function finishCurrent(): Order | undefined {
    clearTimeout(current?.timer)
    const order = current?.order
    current = null
    if (engine) letGo(engine)
    return order
  }

  const inTurn = (task: Task, left?: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      if (isStopped) return reject(unavailable(new Error('the typesetter has stopped')))
      if (waiting.length >= waitingMax) return reject(unavailable(new Error('too many documents wait')))
      const order: Order = { task, resolve, reject }
      waiting.push(order)
      const giveUp = AbortSignal.any([AbortSignal.timeout(waitingLimit_ms), ...(left ? [left] : [])])
      giveUp.addEventListener('abort', () => {
        const place = waiting.indexOf(order)
        if (place === -1) return // it is being set, or was
        waiting.splice(place, 1)
        reject(unavailable(new Error('a document waited too long, or nobody waits for it any more')))
      })
      startNext()
    })

  return {
    typeset: ({ template, data, madeAt, signal }) => {
      const text = JSON.stringify(data, withoutDirections)
      return inTurn({ template, data: text, madeAt: Math.floor(madeAt.getTime() / 1000) }, signal)
    },
    warmUp: async () => void (await inTurn({})),
    get revision() {
      return (revision ??= revisionOf(templates))
    },
    stop: async () => {
      isStopped = true
      const cause = new Error('the typesetter stops')
      for (const { reject } of waiting.splice(0)) reject(unavailable(cause))
      const last = engine
      loseEngine(cause)
      last?.ref()
      if (last?.exitCode === null && last.signalCode === null) await once(last, 'exit')
    },
  }
}

/** Characters that print nothing and only say from which side to read; the engine aborts over too many of them. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const withoutDirections = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replace(DIRECTIONS, '') : value

const ENGINE = fileURLToPath(new URL('typesetter-process.ts', import.meta.url))

function hold(engine: ChildProcess): void {
  engine.ref()
  engine.channel?.ref()
}

function letGo(engine: ChildProcess): void {
  engine.unref()
  engine.channel?.unref()
}

const require = createRequire(import.meta.url)

function revisionOf(templates: string): string {
  const { version } = require('@myriaddreamin/typst-ts-node-compiler/package.json') as { version: string }
  const hash = createHash('sha256').update(version)
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
