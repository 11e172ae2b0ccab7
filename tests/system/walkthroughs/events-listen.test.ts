import assert from 'node:assert/strict'
import { createHmac, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { clientOf, newWorkspaceWithDatabase, runCommand, startCommand, startServer } from '../../support/server.ts'

const WITHIN_MS = 30_000

const workspace = await newWorkspaceWithDatabase()
const server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})
const send = clientOf(workspace.origin)
const owner = (await runCommand(['token', '--role', 'owner'], workspace.environment)).stdout.trim()

async function made(path: string, sending: Parameters<typeof send>[2]): Promise<Body> {
  const { status, body, text } = await send('POST', path, sending)
  assert([200, 201].includes(status), text)
  return body
}

async function newPlatform() {
  const { id } = await made('/v1/platforms', { token: owner, body: { name: 'My platform' } })
  const { basic_token: basicToken } = await made(`/v1/platforms/${id}/credentials`, { token: owner })
  const headers = { authorization: `Basic ${basicToken}` }
  const { access_token: token } = await made('/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
  return { id: id as string, basicToken: basicToken as string, token: token as string }
}

async function newUser({ token }: { token: string }): Promise<string> {
  const input = { phone_country_code: '+91', phone_number: String(randomInt(6e9, 1e10)) }
  return (await made('/v1/auth/token', { token, body: input })).user_id
}

/** The administrator tokens made on the command line so far, as the audit shows them. */
async function tokensMade(): Promise<Body[]> {
  const { body } = await send('GET', '/v1/audit_log?action=token&limit=100', { token: owner })
  return body.data.map(({ operation, actor, subject }: Body) => ({ operation, actor, subject }))
}

/** A listener with these arguments; the events it saw are read from its output. */
function listening(args: string[], environment: Record<string, string> = {}) {
  const command = startCommand(['events', 'listen', ...args], { ...workspace.environment, ...environment })
  after(() => command.interrupt())
  const events = (): Body[] =>
    command
      .output()
      .stdout.split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const sees = (isIt: (event: Body) => boolean) => within(WITHIN_MS, async () => events().some(isIt))
  return { ...command, events, sees }
}

/** The listener has started: it sees whatever happens from here on. */
async function begun(listener: ReturnType<typeof listening>, platform: { token: string }): Promise<void> {
  await within(WITHIN_MS, async () => {
    await newUser(platform)
    return listener.events().length > 0
  })
}

describe('banyan events listen', () => {
  it('shows a platform’s events as they happen, forwards them signed, and exits with 0 on Ctrl-C', async () => {
    const received: { headers: IncomingHttpHeaders; body: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        received.push({ headers: request.headers, body })
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    after(() => receiver.close())

    const [ours, theirs] = [await newPlatform(), await newPlatform()]
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const args = ['--url', workspace.origin, '--forward', hook, '--type', 'user.created', 'user.updated']
    const listener = listening(args, { BANYAN_BASIC_TOKEN: ours.basicToken })
    await begun(listener, ours)
    const foreign = await newUser(theirs)
    const user = await newUser(ours)
    await listener.sees(({ subject }) => subject === user)
    await within(WITHIN_MS, async () => received.some(({ body }) => body.includes(user)))
    const { code, stderr } = await listener.interrupt()
    assert.equal(code, 0)

    const events = listener.events()
    assert(events.every(({ type, platform_id }) => type === 'user.created' && platform_id === ours.id))
    assert(!events.some(({ subject }) => subject === foreign))
    const secret = /signed with (whsec_\S+)/.exec(stderr)?.[1] ?? ''
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const forwarded = received.find(({ body }) => body.includes(user))
    assert(forwarded && key.length >= 24)
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = forwarded.headers
    const expected = createHmac('sha256', key).update(`${String(id)}.${String(timestamp)}.${forwarded.body}`)
    assert.equal(signature, `v1,${expected.digest('base64')}`)
    assert.deepEqual(
      JSON.parse(forwarded.body),
      events.find(({ subject }) => subject === user),
    )
    assert.match(stderr, new RegExp(`Resume with --after ${events.at(-1)?.id}\\n$`))
  })

  it('sign with one secret at every start, kept from other users of the machine; another folder has another', async () => {
    const hook = ['--forward', 'http://127.0.0.1:1/hook']
    const platform = await newPlatform()
    async function secretAtStart(args: string[], environment: Record<string, string> = {}): Promise<string> {
      const own = { BANYAN_BASIC_TOKEN: platform.basicToken, ...environment }
      const listener = listening(['--url', workspace.origin, ...hook, ...args], own)
      await within(WITHIN_MS, async () => listener.output().stderr.includes('Forwarding'))
      return /signed with (.+)/.exec((await listener.interrupt()).stderr)?.[1] ?? ''
    }
    const first = await secretAtStart([])
    assert.match(first, /^whsec_/)
    assert.equal(await secretAtStart([]), first)
    const file = join(workspace.dataDir, 'keys', 'listen-secret')
    assert.equal((await stat(file)).mode & 0o777, 0o600)

    const given = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    assert.equal(await secretAtStart(['--secret', given]), 'your secret')
    assert.equal((await readFile(file, 'utf8')).trim(), first, 'a given one is not kept')
    assert.notEqual(await secretAtStart([], { DATA_DIR: join(workspace.folder, 'other') }), first)
  })

  it('without credentials acts as a viewer of the local server, and starts after the named event', async () => {
    const platform = await newPlatform()
    const [first, second] = [await newUser(platform), await newUser(platform)]
    const found = async (): Promise<Body> => {
      const { body } = await send('GET', `/v1/events?subject=${first}`, { token: owner })
      return body.data.at(0)
    }
    await within(WITHIN_MS, async () => (await found()) !== undefined)
    const madeBefore = await tokensMade()
    const listener = listening(['--after', (await found()).id])
    await listener.sees(({ subject }) => subject === second)
    assert(!listener.events().some(({ subject }) => subject === first))
    assert.equal((await listener.interrupt()).code, 0)
    await within(WITHIN_MS, async () => (await tokensMade()).length > madeBefore.length)
    const made = await tokensMade()
    assert.deepEqual(made.at(-1), { operation: 'token', actor: 'system:command-line', subject: 'viewer:command-line' })
    assert.equal(made.length - madeBefore.length, 1, 'once, not for each request')
  })

  it('exit 1 with the API’s error when it is rejected, without secrets', async () => {
    const token = 'not-a-token-at-all'
    const badToken = await listening(['--token', token, '--url', workspace.origin]).ended
    assert.equal(badToken.code, 1)
    assert.match(badToken.stderr, /^Listening to .*\nThe credentials were rejected: .+\n$/)
    const badType = await listening(['--type', 'policy.issued']).ended
    assert.equal(badType.code, 1)
    assert.match(badType.stderr, /query:type: Must be one of: user\.created,/)
    const badCursor = await listening(['--after', 'evt_never_was']).ended
    assert.equal(badCursor.code, 1)
    assert.match(badCursor.stderr, /query:after: Unknown event/)
    for (const { stderr, stdout } of [badToken, badType, badCursor]) {
      assert.equal(stdout, '')
      assert(!stderr.includes(token))
    }
  })

  it('exit 2 for contradictory options, exit 0 for --help, which documents them', async () => {
    const nonsense = [
      ['--url', 'nonsense'],
      ['--forward', 'ftp://localhost/hook'],
      ['--secret', 'short'],
      ['--token', 'one', '--basic-token', 'two'],
      ['--nonsense'],
    ]
    for (const args of nonsense) {
      const { code, stdout, stderr } = await runCommand(['events', 'listen', ...args], workspace.environment)
      assert.deepEqual([code, stdout], [2, ''], args.join(' '))
      assert.match(stderr, /^error: /)
    }
    const help = await runCommand(['events', 'listen', '--help'], workspace.environment)
    assert.equal(help.code, 0)
    for (const word of ['--forward', '--type', '--after', 'BANYAN_BASIC_TOKEN', 'Exit codes']) {
      assert(help.stdout.includes(word), word)
    }
  })
})
