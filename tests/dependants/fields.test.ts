import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashIdentity } from '../../src/domains/people/dependants/hash-identity.ts'
import { DependantInput, IDENTITY_FIELDS } from '../../src/domains/people/dependants/records.ts'
import type { UserId } from '../../src/access/user-id.ts'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()

const INPUT = DependantInput
const NAMES = Object.keys(INPUT.properties) as (keyof DependantInput)[]

/** Returns a valid value of a field, a different one per number. */
function valueOf(name: keyof DependantInput, number: number): string {
  const schema: { type: string; format?: string } = INPUT.properties[name]
  assert.equal(schema.type, 'string', 'give this test a value for fields of this type')
  return schema.format === 'date' ? `2015-08-0${number}` : `${name} ${number}`
}

const inputOf = (number: number) => Object.fromEntries(NAMES.map((name) => [name, valueOf(name, number)]))

/** Returns the record's values of the input fields. */
const fieldsOf = (record: Record<string, unknown>) => Object.fromEntries(NAMES.map((name) => [name, record[name]]))

async function registered() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const address = `/v1/users/${user.id}/dependants`
  const create = (dependants: object[]) =>
    t.call('POST', `${address}/bulk`, { token: platform.token, body: { dependants } })
  const read = (path: string) => t.made('GET', `${address}${path}`, { token: platform.token })
  const correct = (id: string, body: object) => t.made('PATCH', `${address}/${id}`, { token: platform.token, body })
  const made = await create([inputOf(1)])
  assert.equal(made.status, 201, made.text)
  return { create, read, correct, record: made.body.data[0] }
}

describe('every field of a dependant', () => {
  it('is kept as sent, in the response, the record and the list', async () => {
    const { read, record } = await registered()
    for (const shown of [record, await read(`/${record.id}`), (await read('')).data[0]]) {
      assert.deepEqual(fieldsOf(shown), inputOf(1))
    }
  })

  for (const name of NAMES) {
    it(`survives the correction of every other one, and can be corrected: ${name}`, async () => {
      const { read, correct, record } = await registered()
      let newest = record
      for (const other of NAMES.filter((one) => one !== name)) {
        newest = await correct(newest.id, { [other]: valueOf(other, 2) })
        assert.equal(newest[name], valueOf(name, 1), `${name} after a correction of ${other}`)
      }
      newest = await correct(newest.id, { [name]: valueOf(name, 2) })
      for (const shown of [newest, await read(`/${newest.id}`), (await read('')).data[0]]) {
        assert.deepEqual(fieldsOf(shown), inputOf(2))
      }
      assert.deepEqual(fieldsOf(await read(`/${record.id}`)), inputOf(1), 'the first version is as it was')
    })
  }

  it('may differ without changing the identity: the same names and date of birth are the same dependant', async () => {
    const { create } = await registered()
    const others = NAMES.filter((name) => !IDENTITY_FIELDS.some((one) => one === name))
    for (const name of others) {
      const again = await create([{ ...inputOf(1), [name]: valueOf(name, 2) }])
      assert.deepEqual([again.status, again.body.code], [409, 'conflict'], name)
    }
    for (const name of IDENTITY_FIELDS) {
      assert.equal((await create([{ ...inputOf(1), [name]: valueOf(name, 3) }])).status, 201, name)
    }
  })
})

describe('identityOf', () => {
  const userId = '012345678901' as UserId
  const profile = { date_of_birth: '2015-08-02', first_name: 'Ravi', last_name: 'Example' }
  const identity = (more: object) =>
    hashIdentity(t.deps.vault, { userId, profile: { ...profile, ...more } }).toString('hex')

  it('depends on the names and the date of birth alone', () => {
    assert.equal(identity({ nickname: 'R' }), identity({}))
    for (const name of IDENTITY_FIELDS) assert.notEqual(identity({ [name]: 'x' }), identity({}), name)
  })

  it('differs for another user', () => {
    const other = hashIdentity(t.deps.vault, { userId: '112345678901' as UserId, profile }).toString('hex')
    assert.notEqual(other, identity({}))
  })
})
