import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { librariesIn, unpackPackages } from '../../tests/support/debian-packages.ts'
import type { Request } from '../ask.ts'
import { CONNECTIONS, drive, requestText } from '../drive.ts'

/** One round of a load generator, with the CPU seconds that it took itself. */
export type LoadRound = { responses: number; perSecond: number; p50Ms: number; p99Ms: number; loadSeconds: number }

export type LoadGenerator = {
  name: string
  /** Sends the requests in order, from the first again when there are too few. Throws at a status other than 2xx. */
  run(url: string, requests: Request[], seconds: number): Promise<LoadRound>
}

const run = promisify(execFile)
const SCRIPT = new URL('wrk.lua', import.meta.url).pathname
const TIMEOUT_MS = 60_000

/** Returns wrk, the machine's or Debian's; without either, the sockets of this program. */
export async function openLoadGenerator(folder: string): Promise<LoadGenerator> {
  const installed = await run('wrk', ['-v']).then(
    () => true,
    (error: { code: unknown }) => error.code !== 'ENOENT', // it exits with 1 when it only prints its version
  )
  const root = installed ? '' : await unpackPackages(['wrk']).catch(() => undefined)
  if (root === undefined) return ownSockets
  const program = installed ? 'wrk' : join(root, 'usr/bin/wrk')
  const env = installed ? process.env : { ...process.env, LD_LIBRARY_PATH: librariesIn(root) }
  return {
    name: `wrk, 1 thread, ${CONNECTIONS} connections`,
    run: (...args) => runWrk({ program, env, folder }, ...args),
  }
}

type Wrk = { program: string; env: NodeJS.ProcessEnv; folder: string }

async function runWrk(wrk: Wrk, url: string, requests: Request[], seconds: number): Promise<LoadRound> {
  const file = join(wrk.folder, 'requests')
  const host = new URL(url).host
  await writeFile(file, requests.map((request) => requestText(request, host)).join('\0'))
  const options = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '--latency',
    '--timeout',
    '10s',
    '-s',
    SCRIPT,
    url,
    '--',
    file,
  ]
  const timed = ['-c', '"$@"; times', 'bash', wrk.program, ...options]
  const { stdout } = await run('bash', timed, { env: wrk.env, timeout: TIMEOUT_MS + seconds * 1_000 })
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout)
  if (failed) throw new Error(`${url}: ${failed[0]}`)
  const [, responses] = /^ *(\d+) requests in/m.exec(stdout) ?? []
  const [, perSecond] = /^Requests\/sec: +([\d.]+)/m.exec(stdout) ?? []
  return {
    responses: Number(responses),
    perSecond: Number(perSecond),
    p50Ms: latencyIn(stdout, 50),
    p99Ms: latencyIn(stdout, 99),
    loadSeconds: childSecondsIn(stdout),
  }
}

const MS_OF_UNIT: Record<string, number> = { us: 0.001, ms: 1, s: 1_000 }

function latencyIn(stdout: string, percent: number): number {
  const [, value, unit = ''] = new RegExp(`^ *${percent}% +([\\d.]+)(us|ms|s) *$`, 'm').exec(stdout) ?? []
  return Number(value) * (MS_OF_UNIT[unit] ?? Number.NaN)
}

/** The last line of `times` has the user and the system time of what bash has run. */
function childSecondsIn(stdout: string): number {
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  return [...last.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0)
}

const ownSockets: LoadGenerator = {
  name: `${CONNECTIONS} sockets of the bench itself, for there is no wrk`,
  async run(url, requests, seconds) {
    let place = 0
    const before = process.cpuUsage()
    const source = () => {
      const request = requests[place++ % requests.length]
      return request && { request, status: request.method === 'POST' && !/auth\/token/.test(request.path) ? 201 : 200 }
    }
    const round = await drive(url, source, { seconds })
    const { user, system } = process.cpuUsage(before)
    return { ...round, loadSeconds: (user + system) / 1e6 }
  },
}
