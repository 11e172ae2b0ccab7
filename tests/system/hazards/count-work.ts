import { Session } from 'node:inspector/promises'
import { test } from 'node:test'
import type { Sent } from './dearest-requests.ts'

/** What a request took. The parsing of HTTP itself, in C, is not part of it. */
export type Counted = { what: string; status: number; blocks: number; statements: number; bytes: number }
export type Report = { routes: string[]; known: string[]; counted: Counted[] }

// A program of its own, because V8 counts the blocks of the code that it compiles from now on.
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

const { ELSEWHERE, prepareWorld, variantsOf } = await import('./dearest-requests.ts')
type World = Awaited<ReturnType<typeof prepareWorld>>

/** Returns the blocks of code that have run since the last call, without those of this file. */
async function blocksRun(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  let blocks = 0
  for (const { functions } of result.filter(({ url }) => url !== import.meta.url))
    for (const { ranges } of functions) for (const { count } of ranges) blocks += count
  return blocks
}

const inWords = ({ method, url, headers = {}, payload = '' }: Sent) =>
  [method, url, ...Object.entries(headers).flat(), payload]
    .map((text) => text.slice(0, 60))
    .join(' ')
    .slice(0, 200)

function counterOf({ app, statements }: World) {
  const counted: Counted[] = []
  const send = (sent: Sent) => app.inject(sent)
  async function count(route: string, sent: Sent): Promise<void> {
    const before = statements()
    const { statusCode: status, rawPayload } = await send(sent)
    const blocks = await blocksRun()
    const what = `${route}: ${inWords(sent)}`
    counted.push({ what, status, blocks, statements: statements() - before, bytes: rawPayload.length })
  }
  return { counted, count, send }
}

/** The routes that need no token. */
const publicRoutes = ({ app }: World): string[] =>
  app.routes.flatMap(({ method, url, config: { access } }) => {
    const isPublic = access === 'anyone' || ['basic', 'signature', 'none'].includes(access?.credential ?? '')
    return isPublic ? [`${method} ${url}`] : []
  })

test('counts', async () => {
  const world = await prepareWorld(process.argv[2] ?? '')
  const { counted, count, send } = counterOf(world)
  for (const [route, makings] of Object.entries(world.dearest)) {
    for (const make of makings) {
      await send(await make()) // what is made once, such as the HTML of a page, is made now
      const sent = await make()
      await blocksRun()
      await count(route, sent)
    }
    const first = await makings[0]?.()
    for (const sent of first ? variantsOf(first) : []) await count(route, sent)
  }
  for (const one of ELSEWHERE) for (const sent of [one, ...variantsOf(one)]) await count('elsewhere', sent)
  const report: Report = { routes: publicRoutes(world), known: Object.keys(world.dearest), counted }
  await new Promise((resolve) => process.send?.(report, resolve))
  process.disconnect()
})
