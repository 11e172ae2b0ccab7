import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { programModule } from '../program-files.ts'
import { type Limits, createEngine } from './engine.ts'
import type { Outcome, Task } from './typesetter-process.ts'

export type Typesetter = {
  /**
   * Typesets `<template>.typ` of the folder with the data; returns the bytes of a tagged PDF. The same input gives the
   * same bytes. Throws 503 `unavailable` when the queue is full, on timeout, when the engine dies, or when `signal` is
   * aborted because the caller has left. Throws an Error with the location, never the data, for a template error.
   */
  typeset(job: { template: string; data: object; madeAt: Date; signal?: AbortSignal }): Promise<Uint8Array>
  /** Starts the engine, so that the first document need not wait; resolves when it is ready. */
  warmUp(): Promise<void>
  /**
   * A hash of templates, fonts, engine version and this folder: everything besides the data that determines the bytes.
   */
  readonly revision: string
  /** Rejects queued tasks and ends the engine. */
  stop(): Promise<void>
}

const WAITING_MAX = 100
/** At 20 ms per document, a full queue of a hundred is done by then; longer waits mean very long documents. */
const WAITING_LIMIT_MS = 3_000
/** The longest possible document, sixty pages in many scripts, takes two seconds. */
const TIME_LIMIT_MS = 10_000

type Settings = { templates: string } & Partial<Limits>

/**
 * Typesets documents in a separate process. Not in a thread: the engine is native code, and some names make it abort
 * its whole process.
 */
export function createTypesetter({ templates, ...limits }: Settings): Typesetter {
  const engine = createEngine<Task, Outcome>({
    module: ENGINE,
    args: [templates],
    waitingMax: WAITING_MAX,
    waitingLimit_ms: WAITING_LIMIT_MS,
    timeLimit_ms: TIME_LIMIT_MS,
    ...limits,
  })
  let revision: string | undefined

  return {
    typeset: async ({ template, data, madeAt, signal }) => {
      const text = JSON.stringify(data, withoutDirectionMarks)
      const task = { template, data: text, madeAt: Math.floor(madeAt.getTime() / 1000) }
      const outcome = await engine.run(task, signal)
      if ('error' in outcome) throw new Error(`template error: ${outcome.error}`)
      return outcome.pdf
    },
    warmUp: async () => void (await engine.run({})),
    get revision() {
      return (revision ??= hashTemplates(templates))
    },
    stop: engine.stop,
  }
}

/** Invisible characters that only set the reading direction; the engine aborts on too many of them. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const withoutDirectionMarks = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.replace(DIRECTION_MARKS, '') : value

const ENGINE = programModule('src/kernel/pdf/typesetter-process.ts')

const require = createRequire(import.meta.url)

function hashTemplates(templates: string): string {
  const { version } = require('@myriaddreamin/typst-ts-node-compiler/package.json') as { version: string }
  const hash = createHash('sha256').update(version)
  for (const folder of [templates, import.meta.dirname]) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(typ|ttf|ts|js)$/.test(name),
    )
    for (const name of names.toSorted()) {
      const content = createHash('sha256').update(readFileSync(join(folder, name)))
      hash.update(`\0${name}\0`).update(content.digest())
    }
  }
  return hash.digest('base64url')
}
