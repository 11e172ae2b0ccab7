import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import {
  applyRevocations,
  createRestoreListWriter,
  parseRestoreList,
  readRestoreList,
} from '../../../src/domains/privacy/personal-data/index.ts'
import { REVOCATION_KINDS } from '../../../src/access/revocations.ts'
import { beginSession } from '../../support/administrators.ts'
import { openTestApp } from '../../support/app.ts'
import { consentScenes } from '../../support/consents.ts'

const t = await openTestApp({ own: true })
const files = new Map<string, string>()
let failsAt: string | undefined
const storage = {
  get: async (key: string) => {
    const content = files.get(key)
    return content === undefined ? undefined : Readable.from([Buffer.from(content)])
  },
  put: async (key: string, bytes: AsyncIterable<Uint8Array>) => {
    if (key === failsAt) throw new Error('killed')
    files.set(key, (await buffer(bytes)).toString())
  },
}
let now = new Date('2026-11-27T23:59:00Z')
const context = { db: t.db, storage, clock: { now: () => now } }
const newWriter = () => createRestoreListWriter(context, 2)
const linesIn = async () =>
  (await readRestoreList(storage, '2026-11-29'))?.split('\n').filter((line) => line !== '') ?? []
const revoke = (subject: string, epoch = 2 ** 31 - 1) =>
  t.sql('insert into revocations (subject, revoked, first_epoch) values ($1, true, $2)', [subject, epoch])
const subjects = async () => parseRestoreList((await linesIn()).join('\n')).revocations.map(({ subject }) => subject)

describe('the list for restores', () => {
  it('begins with everybody who was erased, also after a crash, and has each revocation once, by whichever process', async () => {
    const platform = await t.platform()
    for (const { id: user } of [await t.user(platform), await t.user(platform), await t.user(platform)])
      await t.sql(
        `insert into erasures (user_id, asked_at, ends_policies, erased_at) values ($1, now(), false, '2026-01-31T09:30:00Z')`,
        [user],
      )
    failsAt = '2026-11-27/0002'
    await assert.rejects(newWriter().write())
    assert.deepEqual(await linesIn(), [], 'a list that is not whole is none')
    failsAt = undefined
    await revoke('credential:crd_one')
    const writer = newWriter()
    await writer.write()
    await writer.write()
    await newWriter().write()
    const first = parseRestoreList((await linesIn()).join('\n'))
    assert.equal(first.tombstones.length, 3)
    assert.deepEqual(await subjects(), ['credential:crd_one'])

    now = new Date('2026-11-28T00:01:00Z')
    await revoke('session:ses_two')
    await revoke('session:ses_three')
    await revoke('session:ses_four')
    failsAt = 'state'
    await assert.rejects(writer.write())
    failsAt = undefined
    writer.reset()
    await revoke('session:ses_five')
    await writer.write()
    const all = ['credential:crd_one', 'session:ses_two', 'session:ses_three', 'session:ses_four', 'session:ses_five']
    assert.deepEqual(await subjects(), all)
    assert.deepEqual([...files.keys()].toSorted(), [
      '2026-11-27/0001',
      '2026-11-27/0002',
      '2026-11-28/0001',
      '2026-11-28/0002',
      'state',
    ])
  })

  it('has the keyed hashes of a number that changed, and none when something else does', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const ofUser = () =>
      t.sql<{ subject: string }>('select subject from revocations where subject like $1', [`phone:${user.id}:%`])
    const patch = (body: object) => t.made('PATCH', `/v1/users/${user.id}`, { token: platform.token, body })
    await patch({ email: 'asha@example.com' })
    assert.deepEqual(await ofUser(), [])
    const other = user.phone.startsWith('91') ? '92' : '91'
    await patch({ phone_country_code: '+91', phone_number: `${other}${user.phone.slice(2)}` })
    const [{ subject } = assert.fail(), ...others] = await ofUser()
    assert.deepEqual(others, [])
    assert.match(subject, /^phone:\d{12}:[0-9a-f]{64}:[0-9a-f]{64}$/)
    assert(!subject.includes(user.phone))
  })
})

describe('what is shut again', () => {
  const { notice, give, withdraw } = consentScenes(t)
  const ofUser = async ({ id }: { id: string }) =>
    t.sql<{ consent_id: string; is_withdrawn: boolean; waits: boolean }>(
      `select consent_id, withdrawn_at is not null as is_withdrawn, waits_since is not null as waits
         from consents where user_id = $1 order by created_at`,
      [id],
    )
  /** What the table has for the list, as the list has it. */
  const listed = (pattern: string) =>
    t.sql<{ subject: string; firstEpoch: number; at: string }>(
      `select subject, first_epoch as "firstEpoch", to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
         from revocations where subject like $1 order by seq`,
      [pattern],
    )

  it('is a consent that was withdrawn, whichever of the purpose; not one of another purpose, or given later', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await notice(platform)
    const consent = async (input = {}) => (await give(user, platform.token, input)).body.id as string
    const former = await consent()
    const care = await consent({ purpose: 'care' })
    const later = await consent()
    await withdraw(user, platform.token, later)
    const lines = await listed(`consent:${user.id}:%`)
    assert.deepEqual(
      lines.map(({ subject }) => subject),
      [`consent:${user.id}:${later}:insurance:`],
    )
    // The backup is of before the withdrawal.
    const restore = () =>
      t.sql('update consents set withdrawn_at = null, waits_since = null where user_id = $1', [user.id])
    await restore()
    assert.deepEqual((await applyRevocations(t.deps, lines)).consents, [later])
    assert.deepEqual((await applyRevocations(t.deps, lines)).consents, [], 'a second time it changes nothing')
    const rows = await ofUser(user)
    assert.deepEqual(
      rows.map(({ consent_id, is_withdrawn, waits }) => [consent_id, is_withdrawn, waits]),
      [
        [former, false, false],
        [care, false, false],
        [later, true, true],
      ],
    )
    const entries = await t.sql(`select user_id from audit_entries where subject = $1 and action = 'revoke'`, [later])
    assert.deepEqual(entries, [{ user_id: user.id }])
    // A backup of before the consent itself.
    await restore()
    await t.sql('delete from consents where consent_id = $1', [later])
    const afterwards = await consent()
    assert.deepEqual((await applyRevocations(t.deps, lines)).consents, [former])
    assert.deepEqual(
      (await ofUser(user)).filter(({ is_withdrawn }) => !is_withdrawn).map(({ consent_id }) => consent_id),
      [care, afterwards],
    )
  })

  it('is an administrator who was disabled, not one who was enabled again', async () => {
    const [left, back] = [await beginSession(t, 'viewer'), await beginSession(t, 'viewer')]
    const set = (id: string, status: string) =>
      t.made('PUT', `/v1/administrators/${id}/status`, { token: t.owner, body: { status, reason: 'Has left' } })
    await set(left.administratorId, 'DISABLED')
    for (const status of ['DISABLED', 'ACTIVE']) await set(back.administratorId, status)
    const lines = await listed('administrator:%')
    assert.deepEqual(
      lines.map(({ subject }) => subject),
      [
        `administrator:${left.administratorId}:DISABLED`,
        `administrator:${back.administratorId}:DISABLED`,
        `administrator:${back.administratorId}:ACTIVE`,
      ],
    )
    await t.sql(`update administrators set status = 'ACTIVE'`)
    const { administrators } = await applyRevocations(t.deps, lines.toReversed())
    assert.deepEqual(administrators, [left.administratorId])
    assert.deepEqual((await applyRevocations(t.deps, lines)).administrators, [])
    const disabled = await t.sql(`select administrator_id as id from administrators where status = 'DISABLED'`)
    assert.deepEqual(disabled, [{ id: left.administratorId }])
    const entries = await t.sql(
      `select 1 from audit_entries where operation = 'setAdministratorStatus' and action = 'revoke'`,
    )
    assert.deepEqual(entries, [], 'the audit calls it a change, as before')
  })

  it('is nothing, where the list has a kind that this version does not know', () => {
    const line = (revoked: string) => JSON.stringify({ revoked, first_epoch: 1, at: at(1) })
    for (const kind of REVOCATION_KINDS) assert.doesNotThrow(() => parseRestoreList(line(`${kind}:012345678901`)))
    assert.throws(
      () => parseRestoreList([line('session:ses_1'), line('mandate:mdt_1')].join('\n')),
      /Line 2 is of a kind that this version does not know/,
    )
  })

  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 28, 10, 0, seconds)).toISOString()
  const NEVER = 2 ** 31 - 1

  it('is a number that a user has left, not one that they left and took again', async () => {
    const platform = await t.platform()
    const [one, other] = [await t.user(platform), await t.user(platform)]
    const hashOf = async (user: string) =>
      (
        await t.sql<{ hash: string }>(`select encode(phone_hash, 'hex') as hash from user_phones where user_id = $1`, [
          user,
        ])
      )[0]?.hash
    const [kept, left] = [await hashOf(one.id), await hashOf(other.id)]
    const elsewhere = 'ab'.repeat(32)
    const changes = [
      { subject: `phone:${one.id}:${kept}:${elsewhere}`, firstEpoch: NEVER, at: at(1) },
      { subject: `phone:${one.id}:${elsewhere}:${kept}`, firstEpoch: NEVER, at: at(2) },
      { subject: `phone:${other.id}:${left}:${elsewhere}`, firstEpoch: NEVER, at: at(3) },
    ]
    assert.deepEqual((await applyRevocations(t.deps, changes)).phones, [other.id])
    assert.deepEqual([await hashOf(one.id), await hashOf(other.id)], [kept, undefined])
    assert.deepEqual((await applyRevocations(t.deps, changes)).phones, [], 'a second time it changes nothing')
  })

  it('is a platform that was disabled, and the app sessions of a user; neither is opened', async () => {
    const [disabled, twice] = [await t.platform(), await t.platform()]
    const user = await t.user(twice)
    const statusOf = async ({ id }: { id: string }) =>
      (await t.made('GET', `/v1/platforms/${id}`, { token: t.owner })).status
    const revocations = [
      { subject: `platform:${disabled.id}`, firstEpoch: 2, at: at(1) },
      { subject: `platform:${twice.id}`, firstEpoch: 2, at: at(2) },
      { subject: `platform:${twice.id}`, firstEpoch: 3, at: at(3) },
      { subject: `sessions_of:${user.id}`, firstEpoch: 1, at: at(4) },
    ]
    const { platforms, users } = await applyRevocations(t.deps, revocations)
    assert.deepEqual([platforms.toSorted(), users], [[disabled.id, twice.id].toSorted(), [user.id]])
    assert.deepEqual([await statusOf(disabled), await statusOf(twice)], ['INACTIVE', 'ACTIVE'])
    const again = await applyRevocations(t.deps, revocations)
    assert.deepEqual([again.platforms, again.users], [[], []])
  })
})
