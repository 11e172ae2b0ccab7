import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { CONSENT, NOTICE } from '../../support/consents.ts'
import { within } from '../../support/deadline.ts'
import { clientOf, newWorkspace, runCommand, startServer } from '../../support/server.ts'

const workspace = await newWorkspace()
const settings = { ...workspace.environment, BACKUP_PASSPHRASE: 'a passphrase kept elsewhere' }
const list = join(workspace.dataDir, 'restore-list')
const elsewhere = { ...settings, DATA_DIR: join(workspace.folder, 'elsewhere') }
const file = join(workspace.folder, 'backup.banyan')
const send = clientOf(workspace.origin)
after(() => workspace.remove())

const REFUSAL =
  'The database was restored, so what was shut since the backup is open in it: run `erasures apply <list>`, or `erasures apply --nothing-since` where nothing was.\n'

type Made = { id: string; token: string; phone: string }
let owner: string
let platform: { id: string; basicToken: string; token: string; credentialId: string }
let leaked: { basicToken: string; credentialId: string }
let [asha, ravi, gone, away]: Made[] = []
let refresh: string
let kept: string
let consent: Body

async function made(method: string, path: string, options: object): Promise<Body> {
  const { status, body, text } = await send(method, path, options)
  assert(status < 300, `${method} ${path}: ${status} ${text}`)
  return body
}

const exchange = (basicToken: string) =>
  send('POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${basicToken}` },
    body: { grant_type: 'client_credentials' },
  })

async function credential(): Promise<{ basicToken: string; credentialId: string }> {
  const { basic_token: basicToken, credential_id: credentialId } = await made(
    'POST',
    `/v1/platforms/${platform.id}/credentials`,
    { token: owner },
  )
  return { basicToken, credentialId }
}

async function user(): Promise<Made> {
  const phone = `98765${String(Math.floor(Math.random() * 90_000) + 10_000)}`
  const body = { phone_country_code: '+91', phone_number: phone }
  const { user_id: id, access_token: token } = await made('POST', '/v1/auth/token', { token: platform.token, body })
  return { id, token, phone }
}

/** Logs in to the wallet with the code that the sandbox was given. */
async function logIn(phone: string): Promise<string> {
  const body = { platform_id: platform.id, phone_country_code: '+91', phone_number: phone }
  const { challenge_id } = await made('POST', '/wallet/v1/auth/otp', { body })
  let otp: string | undefined
  await within(60_000, async () => {
    const { messages } = (await (await fetch(`${workspace.sandboxUrl}/sms/messages?to=%2B91${phone}`)).json()) as {
      messages: Body[]
    }
    otp = messages.at(-1)?.text.match(/\d{6}/)?.[0]
    return otp !== undefined
  })
  return (await made('POST', '/wallet/v1/auth/otp/verify', { body: { challenge_id, otp } })).refresh_token
}

const refreshed = (refresh_token: string) => send('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })
const listed = () =>
  readdirSync(list, { recursive: true })
    .map(String)
    .filter((name) => /\d{4}\.file$/.test(name))
    .map((name) => readFileSync(join(list, name), 'utf8'))
    .join('')

before(async () => {
  const server = await startServer(workspace)
  owner = (await runCommand(['token', '--role', 'owner'], workspace.environment)).stdout.trim()
  const { id } = await made('POST', '/v1/platforms', { token: owner, body: { name: 'Acme Benefits' } })
  platform = { id, basicToken: '', token: '', credentialId: '' }
  const own = await credential()
  platform = { ...platform, ...own, token: (await exchange(own.basicToken)).body.access_token }
  leaked = await credential()
  ;[asha, ravi, gone, away] = [await user(), await user(), await user(), await user()]
  assert(asha && ravi && gone && away)
  refresh = await logIn(asha.phone)
  kept = await logIn(ravi.phone)
  await made('PUT', '/v1/notices/2027-05/en', { token: platform.token, body: NOTICE })
  const agreed = { ...CONSENT, purpose: 'care' }
  consent = await made('POST', `/v1/users/${ravi.id}/consents`, { token: ravi.token, body: agreed })
  const backup = await runCommand(['backup', file], settings)
  assert.equal(backup.code, 0, backup.stderr)

  await made('DELETE', `/v1/platforms/${platform.id}/credentials/${leaked.credentialId}`, { token: owner })
  await made('DELETE', `/v1/users/${ravi.id}/consents/${consent['id']}`, { token: ravi.token })
  await made('POST', '/wallet/v1/auth/logout', { body: { refresh_token: refresh } })
  const body = { phone_country_code: '+91', phone_number: `91234${asha.phone.slice(5)}` }
  await made('PATCH', `/v1/users/${asha.id}`, { token: platform.token, body })
  for (const one of [gone, away]) await made('DELETE', `/v1/users/${one.id}`, { token: platform.token })
  const ids = [leaked.credentialId, 'session:ses_', `phone:${asha.id}`, gone.id, away.id, `consent:${ravi.id}`]
  await within(60_000, async () => ids.every((one) => listed().includes(one)))
  await server.kill()
  const restored = await runCommand(['restore', file], elsewhere)
  assert.deepEqual([restored.code, restored.stderr], [0, ''])
  assert.match(restored.stdout, /Before it starts: erasures apply <list>, or erasures apply --nothing-since\.\n$/)
})

describe('a database that was restored', () => {
  it('is served by nobody, until somebody says what was shut since the backup', async () => {
    assert(!existsSync(join(elsewhere.DATA_DIR, 'restore-list')), 'the list is in no backup')
    for (const args of [['start'], ['serve'], ['work'], ['start', '--processes', '2']]) {
      const { code, stdout, stderr } = await runCommand(args, { ...elsewhere, LOG_LEVEL: 'silent' })
      assert.deepEqual([code, stdout, stderr], [1, '', REFUSAL], args.join(' '))
    }
  })

  it('has shut again what was shut, and nothing else, once the list is applied; then it starts', async () => {
    const wrong = await runCommand(['erasures', 'apply', workspace.folder], elsewhere)
    assert.deepEqual([wrong.code, wrong.stderr], [2, `There is no list in ${workspace.folder}.\n`])
    const both = await runCommand(['erasures', 'apply', list, '--nothing-since'], elsewhere)
    assert.equal(both.code, 2)
    const nothing = join(workspace.folder, 'nothing')
    writeFileSync(nothing, '')
    const empty = await runCommand(['erasures', 'apply', nothing], elsewhere)
    const words = 'The list is empty. Pass --nothing-since where nothing was shut since.\n'
    assert.deepEqual([empty.code, empty.stdout, empty.stderr], [2, '', words])
    const { code, stdout, stderr } = await runCommand(['erasures', 'apply', list], elsewhere)
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(
      stdout,
      '2 erased, 0 erased before, 0 not in this database\n' +
        '1 credentials revoked, 1 sessions ended, all of 0 users, 1 former phones taken away, 0 platforms disabled or enabled, 0 administrators disabled, 1 consents withdrawn\n' +
        'The restored database may be used again.\n',
    )
    const again = await runCommand(['erasures', 'apply', list, '--json'], elsewhere)
    assert.deepEqual(JSON.parse(again.stdout), {
      erased: 0,
      before: 2,
      unknown: 0,
      with_money: [],
      not_held: [],
      credentials: [],
      sessions: [],
      users: [],
      platforms: [],
      phones: [],
      administrators: [],
      consents: [],
    })
    const server = await startServer(workspace, elsewhere)
    try {
      assert.equal((await exchange(leaked.basicToken)).status, 401)
      assert.equal((await exchange(platform.basicToken)).status, 200, 'the others go on')
      assert.equal((await refreshed(refresh)).status, 401)
      assert.equal((await refreshed(kept)).status, 200)
      const { data: consents } = await made('GET', `/v1/users/${ravi?.id}/consents`, { token: owner })
      assert.deepEqual(
        consents.map(({ id, withdrawn_at }: Body) => [id, typeof withdrawn_at]),
        [[consent['id'], 'string']],
      )
      const search = (phone = '') =>
        send('POST', '/v1/users/search', {
          token: platform.token,
          body: { phone_country_code: '+91', phone_number: phone },
        })
      assert.deepEqual((await search(asha?.phone)).body.data, [])
      assert.equal((await search(ravi?.phone)).body.data.length, 1)
      for (const one of [gone, away])
        assert.equal((await send('GET', `/v1/users/${one?.id}`, { token: platform.token })).status, 404)
      assert.equal((await send('GET', `/v1/users/${asha?.id}`, { token: platform.token })).status, 200)
      const { data } = await made('GET', '/v1/audit_log?actor=system:command-line&action=revoke', { token: owner })
      assert(data.some(({ subject }: Body) => subject === leaked.credentialId))
    } finally {
      await server.stop()
    }
  })

  it('has a list of ids, keyed hashes and times', () => {
    const text = listed()
    for (const one of [asha, ravi, gone, away]) assert(one && !text.includes(one.phone))
    for (const line of text.trimEnd().split('\n'))
      assert.deepEqual(Object.keys(JSON.parse(line)), ['revoked', 'first_epoch', 'at'], line)
  })
})
