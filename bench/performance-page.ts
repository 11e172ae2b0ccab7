import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { promisify } from 'node:util'

const PAGE = new URL('../docs/performance.md', import.meta.url)
const GIB = 2 ** 30

/** Where and when something was measured. */
export type Machine = { commit: string; date: string; hardware: string; loadBefore: number }

export async function describeMachine(): Promise<Machine> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: new URL('.', import.meta.url),
  })
  const [cpu] = cpus()
  return {
    commit: stdout.trim(),
    date: new Date().toISOString().slice(0, 10),
    hardware: `${availableParallelism()} processors (${cpu?.model.trim()}), ${(totalmem() / GIB).toFixed(0)} GiB`,
    loadBefore: loadavg()[0] ?? Number.NaN,
  }
}

/** Replaces what the page says between this section's marks. Everything else on it is written by hand. */
export async function writeSection(title: string, machine: Machine, report: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8')
  const [from, to] = [`<!-- figures: ${title} -->\n`, '<!-- end of figures -->']
  const start = page.indexOf(from)
  const end = page.indexOf(to, start)
  if (start < 0 || end < 0) throw new Error(`docs/performance.md has no place for the figures of "${title}"`)
  const { date, commit, hardware, loadBefore } = machine
  const measured = `${date}, commit ${commit}, ${hardware}, load ${loadBefore.toFixed(1)} before the start.`
  await writeFile(PAGE, `${page.slice(0, start)}${from}\n${measured}\n\n${report}\n\n${page.slice(end)}`)
}
