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
import { openTestApp } from '../../support/app.ts'

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
    await patch({ phone_country_code: '+91', phone_number: `91${user.phone.slice(2)}` })
    const [{ subject } = assert.fail(), ...others] = await ofUser()
    assert.deepEqual(others, [])
    assert.match(subject, /^phone:\d{12}:[0-9a-f]{64}:[0-9a-f]{64}$/)
    assert(!subject.includes(user.phone))
  })
})

describe('what is shut again', () => {
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
