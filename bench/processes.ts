import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from './until.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 10_000
const LOG_TAIL_CHARACTERS = 2_000

/** Cleanup to run at the end, in reverse order. */
export type Closers = (() => Promise<unknown>)[]
export type Process = { pid: number; url: string; stop(): Promise<void> }

export async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => String((server.address() as AddressInfo).port))
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

type ProcessOptions = { node: string; settings: Record<string, string>; log: string; url: string; closers: Closers }

/** Starts a program with this Node; resolves when it responds to anything at the URL. */
export async function startProcess(
  args: string[],
  { node, settings, log, url, closers }: ProcessOptions,
): Promise<Process> {
  const output = openSync(log, 'a')
  // A separate process group: Ctrl-C reaches only this program, which then stops the others in order.
  const child = spawn(node, args, { env: settings, stdio: ['ignore', output, output], detached: true })
  const stop = () => stopProcess(child)
  closers.push(stop)
  await until(START_TIMEOUT_MS, async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    return isResponding(url)
  }).catch((cause: unknown) => {
    const tail = readFileSync(log, 'utf8').slice(-LOG_TAIL_CHARACTERS)
    throw new Error(`${args.join(' ')} did not start:\n${tail}`, { cause })
  })
  return { pid: child.pid as number, url, stop }
}

const isResponding = (url: string) =>
  fetch(`${url}/livez`).then(
    () => true,
    () => false,
  )

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const inTime = await Promise.race([ended.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })])
  if (!inTime) child.kill('SIGKILL')
}
