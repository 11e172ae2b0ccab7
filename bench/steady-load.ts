import { randomInt } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from './get.ts'
import type { BenchContext } from './part.ts'
import { processorTimes } from './process-figures.ts'
import { median, quantile, spread, target } from './report.ts'

const REQUESTS_A_SECOND = 200
const WARM_UP_SECONDS = 3
const RATIO_MAX = 2

/** `busy` is the share of all processors in use, by any process. */
type Figures = { requests: number; p50: number; p99: number; busy: number }
export type Compared = { atRest: Figures; meanwhile: Figures }

/** Measures while work runs. */
export type SteadyLoad = { measure(work: () => Promise<unknown>): Promise<Figures> }

export const rest = (seconds: number): Promise<void> => sleep(seconds * 1_000)

/**
 * Lists policies of random users at a steady rate, even while earlier requests are pending: a late response delays no
 * other request and is measured from its due time.
 */
export async function openSteadyLoad({ stage, tenant }: BenchContext): Promise<SteadyLoad> {
  const headers = { authorization: await stage.administrator('viewer') }

  async function measure(work: () => Promise<unknown>): Promise<Figures> {
    const agent = new Agent({ keepAlive: true })
    const send = async (due: number) => {
      const { userId = '' } = tenant.people[randomInt(tenant.people.length)] ?? {}
      await get(`${stage.productUrl}/v1/users/${userId}/insurance_policies`, { agent, headers })
      return performance.now() - due
    }
    const ending = new AbortController()
    const sending = sendSteadily(send, { perSecond: REQUESTS_A_SECOND, end: ending.signal })
    const before = processorTimes()
    await work()
    const after = processorTimes()
    ending.abort()
    const took = await Promise.all(await sending)
    agent.destroy()
    const busy = 1 - (after.idle - before.idle) / (after.all - before.all)
    return { requests: took.length, p50: quantile(took, 0.5), p99: quantile(took, 0.99), busy }
  }

  await measure(() => rest(WARM_UP_SECONDS))
  return { measure }
}

type Pace = { perSecond: number; end: AbortSignal }

/** Sends so many a second until the end; resolves to what each send resolves to. */
export async function sendSteadily<T>(
  send: (due: number) => Promise<T>,
  { perSecond, end }: Pace,
): Promise<Promise<T>[]> {
  const took: Promise<T>[] = []
  const from = performance.now()
  const dueAt = (position: number) => from + (position * 1_000) / perSecond
  for (; !end.aborted; await sleep(1)) {
    while (dueAt(took.length) <= performance.now()) {
      const sent = send(dueAt(took.length))
      sent.catch(() => {}) // thrown when all are awaited
      took.push(sent)
    }
  }
  return took
}

const textOf = ({ requests, p50, p99, busy }: Figures) =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms of ${requests}, processors ${(busy * 100).toFixed(0)} % busy`

const ratioOf = ({ atRest, meanwhile }: Compared) => meanwhile.p99 / atRest.p99

export const comparedLine = (one: Compared): string =>
  `at rest ${textOf(one.atRest)}; meanwhile ${textOf(one.meanwhile)}; p99 × ${ratioOf(one).toFixed(2)}`

/** Reports medians of the rounds, because other load shows in single ones. */
export function comparedReport(rounds: Compared[], ratioMax = RATIO_MAX): string[] {
  const ratios = rounds.map(ratioOf)
  const p99 = (of: (one: Compared) => Figures) =>
    spread(
      rounds.map((one) => of(one).p99),
      1,
    )
  const busy = spread(
    rounds.map(({ atRest }) => atRest.busy * 100),
    0,
  )
  return [
    `p99 of listing policies, ${REQUESTS_A_SECOND} requests/s: ${p99(({ atRest }) => atRest)} ms at rest, ${p99(({ meanwhile }) => meanwhile)} ms meanwhile`,
    `processors at rest ${busy} % busy: well over a third means that others were at work`,
    `p99 meanwhile over p99 at rest, by round: ${spread(ratios, 2)}, ${target(`at most ${ratioMax}`, median(ratios) <= ratioMax)}`,
  ]
}
