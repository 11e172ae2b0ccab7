import type { DatabaseClock } from '../db/database-clock.ts'
import { describe } from '../http/problems.ts'
import type { Log } from '../log.ts'

type Stop = () => Promise<void>

/**
 * Runs work only while the clock of this process agrees with the database's: starts it, stops it when they differ by more
 * than a minute, and starts it again. The returned function stops it for good.
 */
export async function workWhileRight(
  clock: Pick<DatabaseClock, 'isRight' | 'onRead'>,
  start: () => Promise<Stop>,
  log: Log,
): Promise<Stop> {
  let stop: Stop | undefined
  let isClosed = false
  let changing: Promise<void> | undefined

  async function adjust(): Promise<void> {
    const shouldWork = clock.isRight() && !isClosed
    if (shouldWork && !stop) stop = await start()
    else if (!shouldWork && stop) {
      const end = stop
      stop = undefined
      await end()
    }
  }

  const adjustOnce = () => {
    changing ??= adjust()
      .catch((error: unknown) =>
        log.warn({ error: describe(error) }, 'the worker could not be started or stopped; retrying'),
      )
      .finally(() => (changing = undefined))
  }

  await adjust()
  clock.onRead(adjustOnce)
  return async () => {
    isClosed = true
    await changing
    await adjust()
  }
}
