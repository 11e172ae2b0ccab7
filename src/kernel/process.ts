import { readFileSync } from 'node:fs'

/**
 * Returns true when a process with this id runs, under any user. One that has ended keeps its id until its parent takes
 * note, which some init processes do late or never: it does not run.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return !/\) Z /.test(procFile(pid, 'stat') ?? '')
}

/** Returns the program that a process runs, with its arguments; undefined where the system does not say. */
export const commandLine = (pid: number): string[] | undefined => procFile(pid, 'cmdline')?.split('\0')

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // no such process, or no /proc here
  }
}
