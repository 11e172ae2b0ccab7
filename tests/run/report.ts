import type { FileResult } from './messages.ts'

const LINES_MAX = 60
const TAIL = 10 // where it was thrown
const LINE_LENGTH_MAX = 300
const INDENT = '    '

export type Outcome = {
  results: FileResult[]
  errors: string[]
  wall_s: number
  /** Of all processes, the database's included. */
  cpu_s: number
  database_cpu_s: number
  seed: string
}

export const isGreen = ({ results, errors }: Outcome): boolean =>
  results.length > 0 && errors.length === 0 && !results.some(hasFailed)

export const hasFailed = ({ tests, errors }: FileResult) =>
  errors.length > 0 || tests.some(({ outcome }) => outcome === 'failed')

/**
 * The line of a finished file: how it ended, how long it took, and its CPU time with that of the programs it started.
 * Below it, each failure in a line: a log that is cut off still has them.
 */
export function lineOf(result: FileResult): string {
  const count = `${result.tests.length} ${result.tests.length === 1 ? 'test' : 'tests'}`
  const line = `${hasFailed(result) ? 'FAILED' : 'passed'}  ${seconds(result.took_ms / 1_000)}  CPU ${seconds(result.cpu_s)}  ${result.file}  ${count}`
  const failed = result.tests.filter(({ outcome }) => outcome === 'failed')
  const failures = [...result.errors, ...failed.map(({ name, error = '' }) => `${name}: ${error}`)]
  return [line, ...failures.map((text) => `  ${inOneLine(text)}`)].join('\n')
}

/** All failures, by file, each with its error. */
export function failuresOf({ results, errors }: Outcome): string {
  const ofFiles = results
    .filter(hasFailed)
    .flatMap(({ file, tests, errors: own }) => [
      ...own.map((error) => `${file}\n${indented(error)}`),
      ...tests
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ name, error = '' }) => `${file}\n  ${name}\n${indented(error)}`),
    ])
  return [...ofFiles, ...errors].map((text) => `\n${text}\n`).join('')
}

export function summaryOf({ results, errors, wall_s, cpu_s, database_cpu_s, seed }: Outcome): string {
  const tests = results.flatMap((result) => result.tests)
  const count = (outcome: string) => tests.filter((test) => test.outcome === outcome).length
  const wrong = errors.length + results.reduce((sum, result) => sum + result.errors.length, 0)
  return [
    `${tests.length} tests`,
    `${count('passed')} passed`,
    `${count('failed')} failed`,
    ...(count('skipped') > 0 ? [`${count('skipped')} skipped`] : []),
    ...(wrong > 0 ? [`${wrong} errors alongside them`] : []),
    `wall ${wall_s.toFixed(1)} s`,
    `CPU ${cpu_s.toFixed(1)} s (shared database ${database_cpu_s.toFixed(1)} s)`,
    `seed ${seed}`,
  ].join(', ')
}

const seconds = (value: number) => `${value.toFixed(1).padStart(7)} s`

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, LINE_LENGTH_MAX)

/** Beyond a few lines, more do not help. */
function indented(text: string): string {
  const lines = text.split('\n')
  const shown = lines.length <= LINES_MAX ? lines : [...lines.slice(0, LINES_MAX - TAIL), '…', ...lines.slice(-TAIL)]
  return shown.map((line) => INDENT + line).join('\n')
}
