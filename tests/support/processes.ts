import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request, type RequestOptions } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Body } from './app.ts'
import type { Workspace } from './server.ts'

const REQUEST_TIMEOUT_MS = 60_000
/** Between two requests of a client, so that new processes can start meanwhile. */
const PAUSE_MS = 100

/** Returns the ids of the processes that a supervisor has started, by name: `api-1` and so on. */
export async function processesBelow(pid: number): Promise<Map<string, number>> {
  const children = existsSync(`/proc/${pid}/task/${pid}/children`) ? childrenIn(pid) : await listedBelow(pid)
  const named = children.map(({ id, command }) => [/main\.ts process \w+ (\S+)$/.exec(command)?.[1], id] as const)
  return new Map(named.flatMap(([name, id]) => (name === undefined ? [] : [[name, id]])))
}

type ChildProcess = { id: number; command: string }

/** From Linux itself, because tests ask often and `ps` reads every process of the machine. */
function childrenIn(pid: number): ChildProcess[] {
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number)
  return ids.flatMap((id) => {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').join(' ').trim()
      return id > 0 ? [{ id, command }] : []
    } catch {
      return [] // it has ended meanwhile
    }
  })
}

async function listedBelow(pid: number): Promise<ChildProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout.split('\n').flatMap((line) => {
    const [, id, parent, command = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? []
    return Number(parent) === pid ? [{ id: Number(id), command }] : []
  })
}

type Sending = { token?: string; headers?: Record<string, string>; body?: object }
type ProcessResponse = { status: number; body: Body; headers: Record<string, unknown> }

/** Sends a request on a new connection, which the next process gets; or on those of an agent. */
export function sendTo(
  { origin }: Workspace,
  method: string,
  path: string,
  { token, headers, body, agent = false }: Sending & { agent?: Agent | false } = {},
): Promise<ProcessResponse> {
  const options: RequestOptions = {
    method,
    agent,
    timeout: REQUEST_TIMEOUT_MS,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, options, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text === '' ? undefined : JSON.parse(text),
          headers: response.headers,
        }),
      )
    })
    sent.once('error', reject).once('timeout', () => sent.destroy(new Error('no response in time')))
    sent.end(body && JSON.stringify(body))
  })
}

/**
 * Starts clients that send repeatedly, each on a keep-alive connection. `stop` returns their failures. A 503 on a
 * connection that stays open is not a failure: a running process rejects requests when this machine is overloaded.
 */
export async function clientsOf(count: number, ask: (agent: Agent) => Promise<ProcessResponse>) {
  const failures: string[] = []
  const over = new AbortController()
  let succeeded = 0
  const send = async (agent: Agent) => {
    const outcome = await ask(agent).catch((error: Error) => error)
    if (outcome instanceof Error) failures.push(`${outcome.name}: ${outcome.message}`)
    else if (outcome.status < 300) succeeded++
    else if (outcome.status !== 503 || outcome.headers['connection'] === 'close') failures.push(String(outcome.status))
  }
  const follow = async (agent: Agent) => {
    while (!over.signal.aborted) {
      await sleep(PAUSE_MS)
      await send(agent)
    }
    agent.destroy()
  }
  const all: Promise<void>[] = []
  for (let client = 0; client < count; client++) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await send(agent) // one after the other, so that each process gets its share
    all.push(follow(agent))
  }
  return {
    succeeded: () => succeeded,
    async stop() {
      over.abort()
      await Promise.all(all)
      return failures
    },
  }
}
