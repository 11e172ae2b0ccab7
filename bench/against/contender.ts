import { drive, type Round } from '../drive.ts'
import { settle } from '../fill.ts'
import type { Used } from './meter.ts'
import type { BenchContext, Kind, Operation } from './operations.ts'
import type { Measured } from './report.ts'

/** Both minimums hold: warming up depends on the number of requests, and the request rate is known only late. */
const WARM_UP_REQUESTS = 5_000
const WARM_UP_MS = 3_000
/** Prepares this many times the requests of the best rate so far; the rest is left for the next round. */
const PREPARED_MARGIN = 3
/** Not measured: an idle side has cold caches. */
const LEAD_IN_SECONDS = 0.5

/** An operation on one side, with the best rate so far. */
export type Contender = BenchContext & { operation: Operation; best: number }

export async function openContender(context: BenchContext, open: Kind['open']): Promise<Contender> {
  await context.side.signIn()
  return { ...context, operation: await open(context), best: 0 }
}

/**
 * Restarts the product: random effects, such as how its code was compiled, last as long as a process, and would distort
 * a single one.
 */
export async function restartAndWarmUp(contender: Contender, requests = WARM_UP_REQUESTS): Promise<void> {
  const { stage } = contender.side
  await stage.restartProduct()
  contender.best = Math.max(contender.best, (await warmUp(contender, requests)).perSecond)
  await settle(stage)
}

async function warmUp({ side, operation: { prepare, source } }: Contender, requests: number): Promise<Round> {
  await prepare?.(requests)
  const end = performance.now() + WARM_UP_MS
  let sent = 0
  return drive(side.stage.productUrl, (connection) =>
    ++sent > requests && performance.now() > end ? undefined : source(connection),
  )
}

/** Creates what a round uses up. */
export async function prepareRound({ operation, best }: Contender, seconds: number): Promise<void> {
  await operation.prepare?.(Math.ceil(best * seconds * PREPARED_MARGIN))
}

export async function measure(contender: Contender, seconds: number): Promise<Measured> {
  const { side, operation } = contender
  const { productUrl } = side.stage
  await drive(productUrl, operation.source, { seconds: LEAD_IN_SECONDS })
  const before = await side.meter.read()
  const round = await drive(productUrl, operation.source, { seconds })
  const after = await side.meter.read()
  if (round.isDry)
    throw new Error(`what was prepared was used up after ${round.responses} requests, before the round ended`)
  contender.best = Math.max(contender.best, round.perSecond)
  return measuredFrom(round, before, after)
}

/** Returns what each request of a round cost, from what was used before and after it. */
export function measuredFrom(round: Round, before: Used, after: Used): Measured {
  const used = (what: keyof Used) => after[what] - before[what]
  const each = (what: keyof Used) => used(what) / round.responses
  const micros = (what: keyof Used) => each(what) * 1_000_000
  const ours = used('server') + used('database') + used('load')
  return {
    ...round,
    serverMicros: micros('server'),
    databaseMicros: micros('database'),
    loadMicros: micros('load'),
    statements: each('statements'),
    writes: each('writes'),
    pages: each('pages'),
    walBytes: each('walBytes'),
    loadShare: used('load') / ours,
    busy: used('busy') / used('passed'),
    othersBusy: Math.max(0, used('busy') - ours) / used('passed'),
  }
}
