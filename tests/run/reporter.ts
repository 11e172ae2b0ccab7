import { EventEmitter } from 'node:events'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { Report } from './messages.ts'

/** Emits `file` after the last result of a file, with the errors of the file itself. */
export const reporting = new EventEmitter<{ file: [errors: string[]] }>()

export const send = (report: Report, then = (): void => {}): void => void process.send?.(report, then)

/** Reports results to the parent process and prints nothing. A file is a suite around its tests. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const names: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') send({ begun: data.name })
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name)
    if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) send({ error: data.message })
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const error = type === 'test:fail' ? errorOf(data.details.error) : undefined
    if (data.nesting === 0) {
      reporting.emit('file', error === undefined ? [] : [error])
    } else if (data.details.type !== 'suite' || error !== undefined) {
      const outcome = type === 'test:fail' ? 'failed' : data.skip === undefined ? 'passed' : 'skipped'
      const name = [...names.slice(1, data.nesting), data.name].join(' › ')
      send({ ended: { name, outcome, took_ms: data.details.duration_ms, ...(error !== undefined && { error }) } })
    }
  }
  yield ''
}

type TestError = Error & { failureType?: string }

/** The error of a test, without Node's stack frames; undefined for a suite whose tests report it. */
function errorOf({ failureType, cause, message }: TestError): string | undefined {
  if (failureType === 'subtestsFailed') return undefined
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause ?? message)
  const inside = cause instanceof Error && cause.cause !== undefined ? `\ncaused by ${inspect(cause.cause)}` : ''
  return (text + inside)
    .split('\n')
    .filter((line) => !/^\s+at .*(node:|\/node_modules\/)/.test(line))
    .join('\n')
    .replaceAll(`file://${process.cwd()}/`, '')
}
