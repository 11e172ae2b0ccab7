import { styleText } from 'node:util'
import type { Command } from 'commander'

/** The exit code of a command that failed, or found a problem. */
export const EXIT_FAILURE = 1
/** The exit code for wrong arguments or settings. */
export const EXIT_USAGE = 2

const PROGRESS_MS = 500
const CLEAR_LINE = '\r\u001b[K'

/** Prints a line of the result to standard output. */
export function print(text: string): void {
  clearProgress()
  process.stdout.write(`${text}\n`)
}

/** Prints a line about the progress to standard error. */
export function report(sentence: string): void {
  clearProgress()
  process.stderr.write(`${sentence}\n`)
}

/** What every command with `withJson` gets. */
export type JsonOption = { json?: boolean }

export const withJson = (command: Command): Command => command.option('--json', 'print one JSON document')

export const printJson = (document: unknown): void => print(JSON.stringify(document, null, 2))

/** Returns the text in this colour: on a terminal only, and not where NO_COLOR is set. */
export const coloured = (colour: 'green' | 'yellow' | 'red' | 'gray', text: string): string =>
  styleText(colour, text, { stream: process.stdout })

let isProgressShown = false

function clearProgress(): void {
  if (isProgressShown) process.stderr.write(CLEAR_LINE)
  isProgressShown = false
}

/**
 * Returns a function that shows how much is done, the rate and, where the total is known, the time left: one line on standard error that replaces
 * itself, and only on a terminal.
 */
export function createProgress(unit: string): (done: number, all?: number) => void {
  const startedAt = performance.now()
  let shownAt = startedAt
  return (done, all) => {
    const now = performance.now()
    if (!process.stderr.isTTY || now - shownAt < PROGRESS_MS) return
    shownAt = now
    isProgressShown = true
    process.stderr.write(`${CLEAR_LINE}${progressLine({ done, all, unit, seconds: (now - startedAt) / 1_000 })}`)
  }
}

type Progress = { done: number; all: number | undefined; unit: string; seconds: number }

export function progressLine({ done, all, unit, seconds }: Progress): string {
  const rate = done / seconds
  const left = all === undefined ? '' : `, ${Math.ceil(Math.max(0, all - done) / rate)} s left`
  const total = all === undefined ? '' : ` of ${Math.max(Math.round(all), Math.round(done))}`
  return `${bar(done, all)}${Math.round(done)}${total} ${unit}, ${Math.round(rate)} ${unit}/s${left}`
}

const BAR_CHARACTERS = 20

/** Empty where the total is not known. */
function bar(done: number, all: number | undefined): string {
  if (all === undefined) return ''
  const filled = all === 0 ? BAR_CHARACTERS : Math.floor((Math.min(done, all) / all) * BAR_CHARACTERS)
  return `[${'#'.repeat(filled).padEnd(BAR_CHARACTERS, '.')}] `
}
