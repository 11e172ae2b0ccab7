import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** The clock ticks per second of /proc, on every Linux. */
const TICKS_A_SECOND = 100

/** Returns the seconds that all processors were busy, and that have passed on them. */
export function processorTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  const sum = (of: (time: (typeof times)[number]) => number) =>
    times.map(of).reduce((total, ms) => total + ms, 0) / 1_000
  return { idle: sum(({ idle }) => idle), all: sum(({ user, nice, sys, irq, idle }) => user + nice + sys + irq + idle) }
}

type Process = { parent: number; ticks: number }

/** Returns the CPU seconds of a process and all its descendants, ended ones included. */
export function secondsUsedBy(pid: number): number {
  const processes = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? entriesOf(Number(name)) : [])))
  const ticksBelow = (top: number): number =>
    [...processes].reduce(
      (sum, [below, { parent }]) => (parent === top ? sum + ticksBelow(below) : sum),
      processes.get(top)?.ticks ?? 0,
    )
  return ticksBelow(pid) / TICKS_A_SECOND
}

/** Returns the CPU seconds of a process and its ended descendants, from one file; undefined when it has ended, or without /proc. */
export function ownSecondsOf(pid: number): number | undefined {
  const status = statusOf(pid)
  return status && status.ticks / TICKS_A_SECOND
}

/** Returns the resident megabytes of a process and its children. */
export function residentMegabytes(pid: number): number {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((below) => parentOf(below) === pid)
  return [pid, ...children].reduce((sum, one) => sum + ownMegabytes(one), 0)
}

/** Returns the resident megabytes of a process alone; 0 when it has ended. */
export function ownMegabytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}

export const parentOf = (pid: number): number | undefined => statusOf(pid)?.parent

function entriesOf(pid: number): [number, Process][] {
  const process = statusOf(pid)
  return process ? [[pid, process]] : []
}

/** Undefined when it has ended. The name is in brackets and can contain anything; the numbers follow it. */
function statusOf(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent = 0, , , , , , , , , , user = 0, system = 0, endedUser = 0, endedSystem = 0] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return { parent, ticks: user + system + endedUser + endedSystem }
  } catch {
    return undefined
  }
}
