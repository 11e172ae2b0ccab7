import { readdirSync, readFileSync } from 'node:fs'

/** CPU ticks of the threads of a process: the one that runs JavaScript, the pool's, and V8's helpers. */
export type ThreadTimes = { main: number; pool: number; helpers: number }

/** Returns what its threads have used so far; only differences and their ratios mean something. */
export function threadTimesOf(pid: number): ThreadTimes {
  const times = { main: 0, pool: 0, helpers: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    times[roleOf(Number(thread) === pid, name)] += ticks
  }
  return times
}

const roleOf = (isMain: boolean, name: string): keyof ThreadTimes => {
  if (isMain) return 'main'
  return /libuv|uv-/.test(name) ? 'pool' : 'helpers'
}
