import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Log } from '../log.ts'
import { safeMessage } from '../safe-message.ts'

/** systemd, where it runs this process as a service that notifies it; `watchdog_ms` where it watches. */
export type Systemd = { socket: string; watchdog_ms: number | null; path: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Reads what systemd sets for a service, as sd_notify(3) and sd_watchdog_enabled(3) say; undefined without it. */
export function findSystemd(environment: Environment, pid = process.pid): Systemd | undefined {
  const { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: usec, WATCHDOG_PID: watched, PATH: path = '' } = environment
  if (socket === '') return undefined
  const isWatched = usec !== undefined && (watched === undefined || Number(watched) === pid)
  return { socket, watchdog_ms: isWatched ? Number(usec) / 1_000 : null, path }
}

/** How often in the time of the watchdog: one sign may come late, and one be lost. */
const SIGNS_PER_WATCHDOG = 4
const NOTIFY_MS_MAX = 5_000

/**
 * Notifies systemd that this service is ready and then, again and again, that it is alive, unless one of its processes does
 * not respond. Node has no datagrams on sockets of files, so `systemd-notify` sends them (`NotifyAccess=all`).
 */
export async function notifySystemd(
  { socket, watchdog_ms, path }: Systemd,
  { hung, log }: { hung: () => Promise<string[]>; log: Log },
): Promise<void> {
  const options = { env: { NOTIFY_SOCKET: socket, PATH: path }, timeout: NOTIFY_MS_MAX }
  const notify = async (state: string) => {
    await promisify(execFile)('systemd-notify', [state], options).catch((error: Error) =>
      log.error({ cause: safeMessage(error) }, 'systemd could not be notified'),
    )
  }
  await notify('READY=1')
  if (watchdog_ms === null) return
  for (;;) {
    const processes = await hung()
    if (processes.length === 0) await notify('WATCHDOG=1')
    else log.error({ processes }, 'processes do not respond: systemd is not notified')
    await sleep(watchdog_ms / SIGNS_PER_WATCHDOG, undefined, { ref: false })
  }
}
