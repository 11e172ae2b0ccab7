import { styleText } from 'node:util'
import type { Command } from 'commander'

/** The exit code of a command that failed, or found a problem. */
export const EXIT_FAILURE = 1
/** The exit code for wrong arguments or settings. */
export const EXIT_USAGE = 2

const PROGRESS_STEP = 100

/** Prints a line of the result to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a line about the progress to standard error. */
export function report(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

/** Returns a function that occasionally reports progress, formatted from a number. */
export const reportProgress =
  (words: (done: number) => string) =>
  (done: number): void => {
    if (done % PROGRESS_STEP === 0) report(words(done))
  }

/** Adds the option for output that programs read. */
export const withJson = (command: Command): Command => command.option('--json', 'print one JSON document')

/** Prints a JSON document. */
export const printJson = (document: unknown): void => print(JSON.stringify(document, null, 2))

/** Returns the text in this colour: on a terminal only, and not where NO_COLOR is set. */
export const coloured = (colour: 'green' | 'yellow' | 'red' | 'gray', text: string): string =>
  styleText(colour, text, { stream: process.stdout })
