import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { endProcess, shareProcess } from '../support/process-end.ts'
import { ownCpuSeconds } from './cpu-seconds.ts'
import type { Order } from './messages.ts'
import { reporting, send } from './reporter.ts'
import { watchSharedState } from './shared-state.ts'

shareProcess()

// Runs one test file after another, each in a suite of its own, so that its hooks apply to its own tests only.
let queue = Promise.resolve()
process.on('message', (order: Order) => {
  queue = queue.then(() => ('run' in order ? runFile(order) : end(order)))
})
process.once('disconnect', () => process.exit(1)) // the parent is gone
await Promise.all(process.argv.slice(2).map((module) => import(module)))
send({ ready: true })

async function runFile({ run: file, environment }: Extract<Order, { run: string }>): Promise<void> {
  Object.assign(process.env, environment)
  const [from_ms, from_s] = [performance.now(), ownCpuSeconds()]
  const over = once(reporting, 'file') as Promise<[string[]]>
  let changed = (): string[] => []
  describe(file, async () => {
    changed = watchSharedState()
    await import(pathToFileURL(resolve(file)).href)
  })
  const [errors] = await over
  const left = changed().map((name) => `leaves ${name} changed, which other files share`)
  send({
    done: { took_ms: performance.now() - from_ms, cpu_s: ownCpuSeconds() - from_s, errors: [...errors, ...left] },
  })
}

/**
 * Closes what the files shared, after which nothing keeps a process whose files have closed their handles. One that still
 * runs after this time reports what holds it, and exits anyway.
 */
async function end({ within_ms }: Extract<Order, { within_ms: number }>): Promise<void> {
  await endProcess()
  process.channel?.unref()
  setTimeout(() => {
    send({ error: `something stays open: ${process.getActiveResourcesInfo().join(', ')}` }, () => process.exit(1))
  }, within_ms).unref()
}
