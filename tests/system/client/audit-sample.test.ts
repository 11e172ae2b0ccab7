import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Demo } from '../../../sandbox/demo.ts'
import type { Body } from '../../support/app.ts'
import { NOTICE } from '../../support/consents.ts'
import { within } from '../../support/deadline.ts'
import { newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const DEADLINE_MS = 120_000

const workspace = await newWorkspaceWithDatabase()
const server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})
const demo = JSON.parse((await runCommand(['demo', '--json'], workspace.environment)).stdout) as Demo
const { basic_token: BASIC_TOKEN, access_token, id: platformId } = demo.platform
const user = demo.user.user_id

/** Runs the sample as an auditor does, who has Node alone. */
async function audit(args: readonly string[] = [], env: Record<string, string> = { BASIC_TOKEN }) {
  const child = spawn(process.execPath, [join(ROOT, 'samples/audit.mjs'), ...args], {
    env: { PATH: process.env['PATH'], BANYAN_URL: workspace.origin, ...env },
  })
  let [printed, complained] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (complained += String(chunk)))
  const [code] = await once(child, 'close')
  return { code, printed, complained, missing: printed.match(/(?<=MISSING ).*/g) ?? [] }
}

async function send(method: string, path: string, body?: object, token = access_token) {
  const response = await fetch(`${workspace.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const responded = (await response.json()) as Body
  assert(response.ok, `${method} ${path} responded ${response.status} ${JSON.stringify(responded)}`)
  return responded
}

const administrator = async (role: string) =>
  (await runCommand(['token', '--role', role], workspace.environment)).stdout.trim()
const consent = (purpose: string, more: object = {}) => ({
  purpose,
  given_by: 'SELF',
  basis: 'CONSENT',
  notice_version: '2027-05',
  language: 'hi',
  ...more,
})

await send('PUT', '/notices/2027-05/hi', { ...NOTICE, text: 'नीचे लिखी जानकारी' })
const insurance = await send('POST', `/users/${user}/consents`, consent('insurance', { proof: 'Screen 4' }))
const care = await send('POST', `/users/${user}/consents`, consent('care', { proof: 'Screen 5' }))
await send('DELETE', `/users/${user}/consents/${care['id']}`)

describe('samples/audit.mjs', () => {
  it('ends with 0 and shows notice, consent, withdrawal, readers and what an erasure leaves', async () => {
    await send('GET', `/users/${user}`)
    await within(DEADLINE_MS, async () => (await audit([user])).printed.includes('read readUser'))
    const before = await send('GET', '/events?limit=100')
    const { code, printed, missing, complained } = await audit([user])
    assert.deepEqual([code, missing, complained], [0, [], ''], printed)
    const { created_at } = insurance
    assert(printed.includes(`consent insurance SELF ${created_at} notice 2027-05/hi withdrawn -`), printed)
    assert.match(printed, /consent care SELF \S+ notice 2027-05\/hi withdrawn 20\d\d-/)
    assert.match(printed, /notice 2027-05\/hi "नीचे लिखी जानकारी" \[\{"data":/)
    const [credential] = Buffer.from(BASIC_TOKEN, 'base64').toString().split(':')
    assert.match(printed, new RegExp(`read readUser \\d+ × until 20\\S+ by ${credential}`))
    assert.match(printed, /erasure retains insurance_policies until \d{4}-\d\d-\d\d by \S|erasure retains \w+ until/)
    assert.doesNotMatch(printed, /Asha|Screen 4/, 'neither names nor proofs')
    assert.deepEqual((await send('GET', '/events?limit=100'))['data'], before['data'], 'it changes nothing')
  })

  it('ends with 1 and says what is missing: a proof, a consent that a rule needs, a person who was erased', async () => {
    const other = (await send('POST', '/auth/token', { phone_country_code: '+91', phone_number: '9812300001' }))[
      'user_id'
    ]
    await send('POST', `/users/${other}/consents`, consent('insurance'))
    const rule = { ground: 'CONSENT', from: '2020-01-01' }
    await send('PUT', `/platforms/${platformId}/consent_rules`, { insurance: rule, care: rule, wallet: null })
    const first = await audit(['--platform', platformId, user, other])
    await send('PUT', `/platforms/${platformId}/consent_rules`, {})
    assert.equal(first.code, 1)
    const [ofUser, ...ofOther] = first.missing
    assert.equal(ofUser, 'a consent to care', 'it was withdrawn')
    assert.match(ofOther.join('; '), /^a proof of consent cst_\w+; a consent to care$/)

    await send('DELETE', `/users/${other}`)
    const erased = await audit([other])
    assert.deepEqual([erased.code, erased.missing], [1, ['the person: 404, unknown, erased or not yours to read']])
    await within(DEADLINE_MS, async () => (await audit([other])).printed.includes('eraseUser'))
  })

  it('looks at everybody of the platform, and at nobody of another', async () => {
    const owner = await administrator('owner')
    const { id } = await send('POST', '/platforms', { name: 'Another' }, owner)
    const { basic_token } = await send('POST', `/platforms/${id}/credentials`, {}, owner)
    assert.match((await audit()).printed, new RegExp(`person ${user}`))
    const others = await audit([], { BASIC_TOKEN: basic_token })
    assert.deepEqual([others.code, others.printed], [0, '\n0 missing\n'])
    const foreign = await audit([user], { BASIC_TOKEN: basic_token })
    assert.deepEqual([foreign.code, foreign.missing.length], [1, 1])
    assert.doesNotMatch(foreign.printed, /insurance|2027-05|read /)
  })

  it('says what an owner and a viewer may not read', async () => {
    const [credential = ''] = Buffer.from(BASIC_TOKEN, 'base64').toString().split(':')
    const owner = await audit(['--credential', credential, user], { ACCESS_TOKEN: await administrator('owner') })
    assert.deepEqual([owner.code, owner.missing], [1, ['the text of notice 2027-05/hi: 403']])
    assert.match(owner.printed, /read readUser/)
    const viewer = await audit(['--credential', credential, user], { ACCESS_TOKEN: await administrator('viewer') })
    assert.deepEqual(viewer.missing[0], `the exposure of ${credential}: 403`)
    assert.match(viewer.printed, /consent insurance/)
  })

  it('ends with 2 when it is called wrongly or refused, with 3 when the time is over, and prints no secret', async () => {
    for (const [args, env] of [
      [[], {}],
      [['--seconds', 'soon'], { BASIC_TOKEN }],
      [[], { BASIC_TOKEN: Buffer.from('crd_1:wrong').toString('base64') }],
      [[], { BASIC_TOKEN, BANYAN_URL: 'http://127.0.0.1:1' }],
    ] as const) {
      const { code, complained } = await audit(args, env)
      assert.equal(code, 2, complained)
      assert(!complained.includes(BASIC_TOKEN))
    }
    assert.equal((await audit(['--bad'])).code, 2)
    assert.equal((await audit(['--seconds', '0.001', user])).code, 3)
    const help = await audit(['--help'], {})
    assert.equal(help.code, 0)
    assert.match(help.printed, /^node audit\.mjs .*USER_ID/)
  })
})
