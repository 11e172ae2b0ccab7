import { ownSecondsOf, secondsUsedBy } from '../../bench/process-figures.ts'

/**
 * Returns the CPU seconds of a process and all its descendants, ended ones included; without /proc those of this process
 * alone.
 */
export function cpuSeconds(pid = process.pid): number {
  try {
    return secondsUsedBy(pid)
  } catch {
    return pid === process.pid ? reported() : 0
  }
}

/**
 * Returns the CPU seconds of this process and of the programs that it started and that have ended. Reading the figures of all
 * processes of the machine before and after each test file cost 2 % of a run.
 */
export const ownCpuSeconds = (): number => ownSecondsOf(process.pid) ?? reported()

function reported(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
