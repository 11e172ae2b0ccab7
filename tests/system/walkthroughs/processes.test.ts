import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../../../src/kernel/process.ts'
import { ADDRESS } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { clientsOf, processesBelow, sendTo } from '../../support/processes.ts'
import { eventually, newWorkspace, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

/** The fewest of which several remain while one is replaced; each more costs two starts. */
const PROCESSES = 3
const NAMES = ['api-1', 'api-2', 'api-3', 'worker']
const ALL_READY = new RegExp(`^processes_ready\\{process="supervisor"[^\\n]* ${PROCESSES}$`, 'm')
const CLIENTS = 2 * PROCESSES
const CONNECTIONS = 24
const POLL_MS = 100
const TOKENS_PER_MINUTE = 40
const GIVES_UP_MS_MAX = 90_000

/** One may end between the list of processes and the signal. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

async function removedAfter<W extends { remove(): Promise<void> }>(made: Promise<W>): Promise<W> {
  const workspace = await made
  after(() => workspace.remove())
  return workspace
}

const workspace = await removedAfter(newWorkspace())
const SETTINGS = {
  PROCESSES: String(PROCESSES),
  TOKENS_PER_MINUTE: String(TOKENS_PER_MINUTE),
  RATE_LIMIT_PLATFORM: '1000000',
  DATABASE_WAIT_MS: '2000', // requests rejected because this machine is busy do not count as failures
}
const server = await startServer(workspace, SETTINGS)
after(() => server.kill())
const owner = (await runCommand(['token', '--role', 'owner'], workspace.environment)).stdout.trim()

type Sending = Parameters<typeof sendTo>[3]
const send = (method: string, path: string, sending?: Sending) => sendTo(workspace, method, path, sending)

/** Sends requests until every process has responded: connections go to them in turn. */
const fromAll = (method: string, path: string, sending?: Sending) =>
  Promise.all(Array.from({ length: 2 * PROCESSES }, () => send(method, path, sending)))

async function made(path: string, sending: Sending) {
  const { status, body } = await send('POST', path, sending)
  assert([200, 201].includes(status), JSON.stringify(body))
  return body
}

async function newPlatform() {
  const { id } = await made('/v1/platforms', { token: owner, body: { name: 'My platform' } })
  const { basic_token: basicToken, credential_id: credentialId } = await made(`/v1/platforms/${id}/credentials`, {
    token: owner,
  })
  const token: string = (await exchange(basicToken)).body.access_token
  return { id, credentialId, token, exchange: () => exchange(basicToken) }
}

const exchange = (basicToken: string) =>
  send('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
  })

const page = async () => (await fetch(workspace.metricsUrl)).text()

describe('three processes on one port', () => {
  it('share the connections, and one page of metrics covers all', async () => {
    assert.deepEqual([...(await processesBelow(server.pid)).keys()].toSorted(), NAMES)
    const { token } = await newPlatform()
    for (let turn = 0; turn < CONNECTIONS; turn++) {
      assert.equal((await send('GET', '/v1/sponsors', { token })).status, 200)
    }
    const text = await page()
    const counts = NAMES.slice(0, PROCESSES).map((name) => {
      const line = new RegExp(
        `^http_request_duration_seconds_count\\{process="${name}",[^\\n]*route="/v1/sponsors"[^\\n]* (\\d+)$`,
        'm',
      )
      return Number(line.exec(text)?.[1])
    })
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      CONNECTIONS,
    )
    assert(
      counts.every((count) => count >= CONNECTIONS / PROCESSES / 2),
      `connections are spread: ${counts.join()}`,
    )
    for (const name of [...NAMES, 'supervisor'])
      assert.match(text, new RegExp(`^banyan_build_info\\{process="${name}"`, 'm'))
    assert.match(text, ALL_READY)
    assert.equal(text.match(/^# TYPE http_request_duration_seconds histogram$/gm)?.length, 1)
    assert(!text.split('\n').some((line) => /^\w/.test(line) && !line.includes('{process="')))
  })

  it('401 within a second from every process for a token revoked through one', async () => {
    const { id, credentialId, token } = await newPlatform()
    for (const { status } of await fromAll('GET', '/v1/sponsors', { token })) assert.equal(status, 200)
    const { body } = await send('DELETE', `/v1/platforms/${id}/credentials/${credentialId}`, { token: owner })
    assert.deepEqual(body, { revoked: true })
    await soon(async () => (await fromAll('GET', '/v1/sponsors', { token })).every(({ status }) => status === 401))
    for (const { status } of await fromAll('GET', '/v1/sponsors', { token })) assert.equal(status, 401)
  })

  it('204 and 405 soon from every process for an origin that was named, and removed, through one', async () => {
    const { id, token } = await newPlatform()
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' }
    for (const [web_origins, expected] of [
      [[headers.origin], 204],
      [[], 405],
    ] as const) {
      await send('PUT', `/v1/platforms/${id}/web_origins`, { token, body: { web_origins } })
      await within(DEADLINE_MS, async () =>
        (await fromAll('OPTIONS', '/v1/users', { headers })).every(({ status }) => status === expected),
      )
    }
  })

  it('429 within a second from every process for a limit used up through all of them', async () => {
    const platform = await newPlatform()
    const bystander = await newPlatform()
    const first = await Promise.all(Array.from({ length: TOKENS_PER_MINUTE - 1 }, platform.exchange))
    assert(first.every(({ status }) => status === 200))
    // Each process alone would now allow two thirds of the limit. One use in some may have been refilled by then.
    let refused: Awaited<ReturnType<typeof platform.exchange>>[] = []
    await soon(async () => {
      const responses = await Promise.all(Array.from({ length: 3 * PROCESSES }, platform.exchange))
      refused = responses.filter(({ status }) => status === 429)
      return responses.length - refused.length < PROCESSES
    })
    for (const { headers } of refused) assert(Number(headers['retry-after']) >= 1)
    assert.equal((await bystander.exchange()).status, 200)
  })

  it('one key, sent to every process concurrently, creates one sponsor', async () => {
    const { token } = await newPlatform()
    const sponsor_details = { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }
    const body = { name: 'My sponsor', pan: 'AAACB1234C', address: ADDRESS, sponsor_details }
    const responses = await fromAll('POST', '/v1/sponsors', {
      token,
      body,
      headers: { 'idempotency-key': randomUUID() },
    })
    const [created] = responses.filter(({ status }) => status === 201)
    assert(created)
    for (const response of responses) {
      if (response.status === 201) assert.equal(response.body.id, created.body.id)
      else assert.equal(response.status, 409, 'the first one is still under way')
    }
    assert.equal((await send('GET', '/v1/sponsors', { token })).body.total, 1)
  })

  it('the calendar set in the sandbox applies in every process', async () => {
    const { stdout } = await runCommand(['demo'], workspace.environment)
    const [, user] = /^user_id +(\S+)$/m.exec(stdout) ?? []
    const [, policy] = /^insurance_policy_ids +(\S+) \(ISSUED\)/m.exec(stdout) ?? []
    const [, token = ''] = /^USER_TOKEN=(\S+)$/m.exec(stdout) ?? []
    const statuses = async () => {
      const responses = await fromAll('GET', `/v1/users/${user}/insurance_policies/${policy}/status`, { token })
      return [...new Set(responses.map(({ body }) => body.status))]
    }
    assert.deepEqual(await statuses(), ['ISSUED'])
    const changed = await fetch(`${workspace.sandboxUrl}/clock`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ now: inWindowOf(new Date()).toISOString() }),
    })
    assert.equal(changed.status, 200)
    await eventually(statuses, (all) => String(all) === 'REQUIRES_CUSTOMER_RENEWAL')
    assert.equal((await fetch(`${workspace.sandboxUrl}/clock`, { method: 'DELETE' })).status, 200)
  })
})

describe('while clients write and read', () => {
  it('a killed process loses only its own requests, and is replaced', async (t) => {
    const { token } = await newPlatform()
    const before = await processesBelow(server.pid)
    const clients = await clientsOf(CLIENTS, (agent) => sendTo(workspace, 'GET', '/v1/sponsors', { token, agent }))
    t.after(clients.stop)
    await eventually(
      async () => clients.succeeded(),
      (count) => count > 10 * CLIENTS,
    )
    process.kill(before.get('api-2') as number, 'SIGKILL')
    const atKill = clients.succeeded()
    await eventually(async () => {
      const now = await processesBelow(server.pid)
      return now.has('api-2') && now.get('api-2') !== before.get('api-2') && ALL_READY.test(await page())
    }, Boolean)
    await eventually(
      async () => clients.succeeded(),
      (count) => count > atKill + 10 * CLIENTS,
    )
    const failures = await clients.stop()
    assert(
      failures.length <= CLIENTS / PROCESSES + 1,
      `its own connections, and one on its way to it: ${failures.join()}`,
    )
    assert(
      failures.every((failure) => /socket hang up|ECONNRESET/.test(failure)),
      String(failures),
    )
    assert.match(await page(), /^processes_restarted\{[^\n]* 1$/m)
    const now = await processesBelow(server.pid)
    for (const name of NAMES) if (name !== 'api-2') assert.equal(now.get(name), before.get(name), name)
  })

  it('SIGUSR2 replaces every process, and not one request fails', async (t) => {
    const { token } = await newPlatform()
    const before = await processesBelow(server.pid)
    const all = [
      await clientsOf(CLIENTS, (agent) => sendTo(workspace, 'GET', '/v1/sponsors', { token, agent })),
      await clientsOf(CLIENTS, (agent) =>
        sendTo(workspace, 'POST', '/v1/platforms', { token: owner, body: { name: 'One of many' }, agent }),
      ),
      await clientsOf(CLIENTS, () => send('GET', '/livez')), // new connections; never rejected by an overloaded process
    ]
    t.after(() => Promise.all(all.map(({ stop }) => stop())))
    process.kill(server.pid, 'SIGUSR2')
    for (const name of NAMES) {
      await eventually(
        async () => (await processesBelow(server.pid)).get(name),
        (pid) => pid !== undefined && pid !== before.get(name),
      )
    }
    await eventually(
      async () => [...before.values()].some(isAlive),
      (some) => !some,
    )
    for (const clients of all) {
      const atEnd = clients.succeeded()
      assert(atEnd > 0)
      await eventually(
        async () => clients.succeeded(),
        (count) => count > atEnd,
      )
      assert.deepEqual(await clients.stop(), [])
    }
    assert.match(await page(), /^processes_restarted\{[^\n]* 1$/m, 'nothing was counted as an end by itself')
  })
})

describe('shutting down', () => {
  it('SIGTERM ends all of them in order, with exit 0, and every log line is complete and names its process', async () => {
    const pids = [...(await processesBelow(server.pid)).values()]
    assert.equal((await server.stop()).code, 0)
    assert(pids.every((pid) => !isAlive(pid)))
    assert(!existsSync(join(workspace.dataDir, 'postgres', 'cluster', 'postmaster.pid')), 'and the database')
    const lines = server
      .output()
      .stderr.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual([...new Set(lines.map(({ process: name }): string => name))].toSorted(), [
      ...NAMES.slice(0, PROCESSES),
      'supervisor',
      'worker',
    ])
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error').map(({ child, signal }) => [child, signal]),
      [['api-2', 'SIGKILL']],
    )
  })

  it('without the supervisor no process remains', async () => {
    // On the data folder of the program that has just ended, because a new one costs more than the processes.
    const killed = await startServer(workspace, { PROCESSES: '2', LOG_LEVEL: 'silent' })
    const pids = [...(await processesBelow(killed.pid)).values()]
    assert.equal(pids.length, 3)
    await killed.kill()
    await eventually(
      async () => pids.some(isAlive),
      (some) => !some,
    )
    assert.equal((await (await startServer(workspace, { LOG_LEVEL: 'silent' })).stop()).code, 0)
  })

  it('exit 1 when no process can run: each is restarted several times, with growing delays', async () => {
    const own = await removedAfter(newWorkspaceWithDatabase())
    const doomed = await startServer(own, { PROCESSES: '2', LOG_LEVEL: 'silent' })
    let hasEnded = false
    void doomed.exitCode.then(() => (hasEnded = true))
    await within(GIVES_UP_MS_MAX, async () => {
      for (const pid of (await processesBelow(doomed.pid)).values()) killIfAlive(pid)
      return hasEnded
    })
    assert.equal(await doomed.exitCode, 1)
    assert.match(
      doomed.output().stderr,
      /^No process is left; (api-\d|worker) has exited 8 times within ten minutes\.$/m,
    )
  })

  it('a start without one of the processes says so, and does not claim that all is well', async () => {
    const own = await removedAfter(newWorkspaceWithDatabase())
    const endsEarly = `--import=data:text/javascript,if(process.argv.includes('api-2'))process.exit(1)`
    const partial = await startServer(own, { PROCESSES: '2', NODE_OPTIONS: endsEarly })
    await eventually(async () => partial.output().stdout, Boolean)
    await partial.stop() // the log is written in batches
    const { stdout, stderr } = partial.output()
    assert.match(stdout, /^Banyan \S+ is running without api-2, which did not start; see the log\. It tries again\.\n/)
    assert.match(stderr, /"missing":\["api-2"\]/)
    assert.doesNotMatch(stderr, /all processes are ready/)
  })

  it('exit 1 with one sentence when another program has the port, and exit 2 for an invalid number', async () => {
    const own = await removedAfter(newWorkspaceWithDatabase())
    const holder = createServer().listen(Number(own.environment['PORT']), '127.0.0.1')
    await once(holder, 'listening')
    const environment = { ...own.environment, LOG_LEVEL: 'silent' }
    const { code, stdout, stderr } = await runCommand(['start', '--processes', '2'], environment)
    await once(holder.close(), 'close')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      /^[^\n]*EADDRINUSE[^\n]*: another program uses that port\. Choose others with PORT, .*\nThe process api-1 did not start; its error is above\.\n$/,
    )
    const refused = await runCommand(['serve', '--processes', '0'], environment)
    assert.deepEqual(refused, { code: 2, stdout: '', stderr: 'PROCESSES must be a whole number from 1 to 64.\n' })
  })
})

/** Waits for what every process knows soon. */
async function soon(isSo: () => Promise<boolean>): Promise<void> {
  const from = performance.now()
  for (;;) {
    const askedAt = performance.now()
    if (await isSo()) return
    assert(askedAt - from < DEADLINE_MS, 'it is not so')
    await sleep(POLL_MS)
  }
}

/** Ten days before the end of a year that began with this month. */
const inWindowOf = (today: Date) => new Date(Date.UTC(today.getUTCFullYear() + 1, today.getUTCMonth(), 1 - 10))
