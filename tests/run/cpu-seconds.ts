import { secondsUsedBy } from '../../bench/process-figures.ts'

/**
 * Returns the CPU seconds of a process and all its descendants, ended ones included; without /proc those of this process
 * alone.
 */
export function cpuSeconds(pid = process.pid): number {
  try {
    return secondsUsedBy(pid)
  } catch {
    const { user, system } = process.cpuUsage()
    return pid === process.pid ? (user + system) / 1e6 : 0
  }
}
