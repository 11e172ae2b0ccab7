import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import { beginLife, type Life, type Place, type Program } from './life.ts'
import type { ToChild } from './messages.ts'

/** So often a process is started within the time before it counts as one that cannot run. */
const STARTS_MAX = 8
const STARTS_WINDOW_MS = 10 * 60_000
const PAUSE_MS = 50
const PAUSE_MS_MAX = 800
/** Between the starts of one that cannot run, while others do. */
const LONG_PAUSE_MS = 15_000
const START_TIMEOUT_MS = 60_000
/** Clients are let go first, then it has the nine seconds that any process has to end. */
const LEAVE_TIMEOUT_MS = 30_000

/** A place, and who has it. */
type Seat = { place: Place; life: Life | undefined; startedAt: number[] }

/**
 * Starts processes that share the ports they listen on, and starts them again when they end. Connections go to them in turn.
 * One that ends again and again is started at growing pauses; when none is left that works, a `StartError` is thrown from
 * outside of any call.
 */
export function openSupervisor({ places, log, ...program }: Program & { places: Place[]; log: Log }) {
  const seats: Seat[] = places.map((place) => ({ place, life: undefined, startedAt: [] }))
  const living = new Set<Life>()
  let calendar: ToChild = { kind: 'calendar', offset_ms: 0 }
  let restarts = 0
  let isStopping = false
  let renewing: Promise<void> | undefined
  cluster.schedulingPolicy = cluster.SCHED_RR // the system itself would give most connections to a few of them
  process.once('exit', () => living.forEach(({ kill }) => kill('SIGKILL')))

  const working = () => seats.flatMap(({ life }) => (life?.isWorking() ? [life] : []))
  const ready = () => working().filter(({ listens }) => listens).length
  const all = places.filter(({ listens }) => listens).length
  const tellAll = (message: ToChild) => living.forEach(({ tell }) => tell(message))
  const tellCount = () => tellAll({ kind: 'counted', ready: ready(), all })

  function begin(place: Place): Life {
    const life = beginLife(program, place)
    living.add(life)
    life.tell(calendar)
    void life.begun.then(tellCount)
    void life.ended.then(() => living.delete(life)).then(tellCount)
    return life
  }

  /** Gives the seat to a process, and to another one when that ends by itself. */
  async function occupy(seat: Seat, life = begin(seat.place)): Promise<void> {
    seat.life = life
    seat.startedAt.push(performance.now())
    const ending = await life.ended
    if (isStopping || seat.life !== life) return
    log.error({ of: life.name, ...ending }, 'a process ended by itself; it is started again')
    await sleep(pauseBefore(seat, working().length > 0))
    if (isStopping || seat.life !== life) return
    restarts++
    return occupy(seat)
  }

  /** One after the other gets a successor, which works before the former one lets its clients go. */
  async function renewAll(): Promise<void> {
    log.info('all processes are replaced')
    for (const seat of seats) {
      const next = begin(seat.place)
      const hasBegun = await Promise.race([next.begun, sleep(START_TIMEOUT_MS, false, { ref: false })])
      if (isStopping) return
      if (!hasBegun) {
        next.kill('SIGKILL')
        return log.error({ of: next.name }, 'the new process does not start; the former ones go on')
      }
      const former = seat.life
      void occupy(seat, next)
      await former?.leave(LEAVE_TIMEOUT_MS)
    }
    log.info('all processes were replaced')
  }

  return {
    ready,
    restarts: () => restarts,

    /** Starts all of them. What keeps one from running keeps the others too, so the first one tries alone. */
    async start(): Promise<void> {
      const [first, ...others] = seats
      assert(first, 'there is a process to be started')
      const life = begin(first.place)
      if (!(await life.begun))
        throw new StartError(`The process ${life.name} did not start; what it said stands above.`)
      void occupy(first, life)
      for (const seat of others) void occupy(seat)
      await Promise.all(seats.flatMap(({ life }) => (life ? [life.begun] : [])))
    },

    /** Replaces all processes; no request fails. What is asked meanwhile is done already. */
    renew: (): Promise<void> => (renewing ??= renewAll().finally(() => (renewing = undefined))),

    /** Tells all of them, and those to come, how far the calendar is from real time. */
    moveCalendar(offset_ms: number): void {
      tellAll((calendar = { kind: 'calendar', offset_ms }))
    },

    /** The metrics of each process that works, by its name. */
    async pages(): Promise<[name: string, page: string][]> {
      const pages = await Promise.all(working().map(async ({ name, page }) => ({ name, page: await page() })))
      return pages.flatMap(({ name, page }) => (page === undefined ? [] : [[name, page]]))
    },

    /** Has all of them end in order. */
    async stop(): Promise<void> {
      isStopping = true
      living.forEach(({ kill }) => kill('SIGTERM'))
      await Promise.all([...living].map(({ ended }) => ended))
    },
  }
}

/** How long to wait before a process is started again. Throws `StartError` when that is of no use. */
function pauseBefore({ place, startedAt }: Seat, othersWork: boolean): number {
  const from = performance.now() - STARTS_WINDOW_MS
  while ((startedAt[0] ?? from) < from) startedAt.shift()
  const starts = startedAt.length
  if (starts < STARTS_MAX) return Math.min(PAUSE_MS * 2 ** (starts - 1), PAUSE_MS_MAX)
  if (othersWork) return LONG_PAUSE_MS
  throw new StartError(`No process is left; ${place.name} has ended ${starts} times within ten minutes.`)
}
