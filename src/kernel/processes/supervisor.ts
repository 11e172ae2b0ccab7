import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import type { ToChild } from './messages.ts'
import { type ChildSettings, type Program, startChild, type StartedChild } from './start-child.ts'

/** After this many starts within the window, a process is considered unable to run. */
const STARTS_MAX = 8
const STARTS_WINDOW_MS = 10 * 60_000
const RETRY_MS = 50
const RETRY_MS_MAX = 800
/** The retry interval of a process that is unable to run while others are ready. */
const LONG_RETRY_MS = 15_000
/** Far longer than a start takes on a busy machine; a process that is not ready then is killed, and tried again. */
const START_TIMEOUT_MS = 120_000
/** Draining takes up to 20 seconds, stopping up to 9. */
const LEAVE_TIMEOUT_MS = 30_000

type Settings = Program & { children: ChildSettings[]; log: Log; startTimeout_ms?: number }

type Slot = { settings: ChildSettings; child: StartedChild | undefined; startedAt: number[] }

/**
 * Runs child processes that share their ports, and restarts those that exit, with increasing delays. Connections are
 * distributed round-robin. When no process is left that can run, a `StartError` is thrown outside of any call.
 */
export function createSupervisor({ children, log, startTimeout_ms = START_TIMEOUT_MS, ...program }: Settings) {
  const slots: Slot[] = children.map((settings) => ({ settings, child: undefined, startedAt: [] }))
  const running = new Set<StartedChild>()
  let calendar: ToChild = { kind: 'calendar', offset_ms: 0 }
  let restarts = 0
  const stopping = new AbortController()
  const { signal } = stopping
  let restarting: Promise<void> | undefined
  cluster.schedulingPolicy = cluster.SCHED_RR // with a shared socket, a few processes get most of the connections
  const killAll = () => running.forEach(({ kill }) => kill('SIGKILL'))
  process.once('exit', killAll)

  const readyChildren = () => slots.flatMap(({ child }) => (child?.isReady() ? [child] : []))
  const ready = () => readyChildren().filter(({ isApi }) => isApi).length
  const all = children.filter(({ isApi }) => isApi).length
  const sendAll = (message: ToChild) => running.forEach(({ send }) => send(message))
  const sendCount = () => sendAll({ kind: 'count', ready: ready(), all })

  function start(settings: ChildSettings): StartedChild {
    const child = startChild(program, settings)
    running.add(child)
    child.send(calendar)
    killWhenLate(child, startTimeout_ms, log)
    void child.started.then(sendCount)
    void child.exited.then(() => running.delete(child)).then(sendCount)
    return child
  }

  /** Runs a child in a slot until it is replaced; restarts it when it exits. */
  async function keepRunning(slot: Slot, child = start(slot.settings)): Promise<void> {
    slot.child = child
    slot.startedAt.push(performance.now())
    const exit = await child.exited
    if (signal.aborted || slot.child !== child) return
    log.error({ child: child.name, ...exit }, 'a process exited and is restarted')
    await sleep(retryDelay(slot, readyChildren().length > 0), undefined, { signal }).catch(() => {})
    if (signal.aborted || slot.child !== child) return
    restarts++
    return keepRunning(slot)
  }

  /** Replaces one child after the other; each new one is ready before the old one drains. */
  async function replaceAll(): Promise<void> {
    log.info('rolling restart begins')
    for (const slot of slots) {
      const next = start(slot.settings)
      const isReady = await next.started
      if (signal.aborted) return
      if (!isReady) return log.error({ child: next.name }, 'the new process does not start; the old ones continue')
      const previous = slot.child
      void keepRunning(slot, next)
      await previous?.leave(LEAVE_TIMEOUT_MS)
    }
    log.info('rolling restart is done')
  }

  return {
    ready,
    restarts: () => restarts,

    /**
     * Starts all children; the first one alone, so that an error that concerns all is reported once. Returns the names of
     * those that are not ready; they are tried again. Throws `StartError` when the first one is not.
     */
    async start(): Promise<string[]> {
      const [first, ...others] = slots
      assert(first, 'there is at least one child')
      const child = start(first.settings)
      if (!(await child.started)) throw new StartError(`The process ${child.name} did not start; its error is above.`)
      void keepRunning(first, child)
      for (const slot of others) void keepRunning(slot)
      await Promise.all(slots.flatMap(({ child }) => (child ? [child.started] : [])))
      return slots.flatMap(({ settings, child }) => (child?.isReady() ? [] : [settings.name]))
    },

    /** Restarts all children one by one; no request fails. */
    restart: (): Promise<void> => (restarting ??= replaceAll().finally(() => (restarting = undefined))),

    /** Moves the calendar of all present and future children. */
    moveCalendar(offset_ms: number): void {
      sendAll((calendar = { kind: 'calendar', offset_ms }))
    },

    hung: () => hungAmong(readyChildren()),
    metrics: () => collectMetrics(readyChildren()),

    async stop(): Promise<void> {
      stopping.abort()
      running.forEach(({ kill }) => kill('SIGTERM'))
      await Promise.all([...running].map(({ exited }) => exited))
      process.off('exit', killAll)
    },
  }
}

/** Returns the names of those that do not respond within some seconds. */
async function hungAmong(children: StartedChild[]): Promise<string[]> {
  const asked = await Promise.all(children.map(async ({ name, isHung }) => ({ name, isHung: await isHung() })))
  return asked.flatMap(({ name, isHung }) => (isHung ? [name] : []))
}

async function collectMetrics(children: StartedChild[]): Promise<[name: string, page: string][]> {
  const pages = await Promise.all(children.map(async ({ name, metrics }) => ({ name, page: await metrics() })))
  return pages.flatMap(({ name, page }) => (page === undefined ? [] : [[name, page]]))
}

function killWhenLate(child: StartedChild, timeout_ms: number, log: Log): void {
  const late = setTimeout(() => {
    log.error({ child: child.name }, 'a process is not ready in time and is killed')
    child.kill('SIGKILL')
  }, timeout_ms)
  void child.started.then(() => clearTimeout(late))
}

/** Returns the delay before a restart. Throws `StartError` when the process cannot run and no other one is ready. */
function retryDelay({ settings, startedAt }: Slot, othersAreReady: boolean): number {
  const from = performance.now() - STARTS_WINDOW_MS
  while ((startedAt[0] ?? from) < from) startedAt.shift()
  const starts = startedAt.length
  if (starts < STARTS_MAX) return Math.min(RETRY_MS * 2 ** (starts - 1), RETRY_MS_MAX)
  if (othersAreReady) return LONG_RETRY_MS
  throw new StartError(`No process is left; ${settings.name} has exited ${starts} times within ten minutes.`)
}
