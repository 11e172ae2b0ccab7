import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { endHashKey, hashKeyStatus, rotateHashKey } from '../../../src/domains/people/users/index.ts'
import { hashKeyId, toFingerprint, createVault, type VaultKeys } from '../../../src/kernel/crypto/vault.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { rehashAll } from '../../../src/boot/rehash.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })
const { masterKeys } = t.keys
const [old] = t.keys.hashKeys
const fresh = randomBytes(32)
const id = hashKeyId(toFingerprint(old))
const keys: VaultKeys = { masterKeys, hashKeys: [fresh, old] }
const platform = await t.platform()

async function serverWith(of: VaultKeys) {
  await checkKeys(t.db, of)
  return (await t.openNode({ vault: createVault(of) })).call
}

const newPerson = () => ({ phone: String(randomInt(6e9, 1e10)), proof: `ABCDE${randomInt(1e9)}` })
type Person = ReturnType<typeof newPerson>

async function signIn(server: Awaited<ReturnType<typeof serverWith>>, { phone, proof }: Partial<Person>) {
  const body = {
    phone_country_code: '+91',
    phone_number: phone,
    ...(proof !== undefined && { id_proof: { type: 'PAN', number: proof } }),
  }
  const { status, body: user, text } = await server('POST', '/v1/auth/token', { token: platform.token, body })
  assert.equal(status, 200, text)
  return user.user_id as string
}

const end = (of: Partial<Parameters<typeof endHashKey>[1]> = {}) =>
  endHashKey({ db: t.db, keys }, { id, days: 0, onProgress: () => {}, ...of })

const refusedWith = (pattern: RegExp) => (error: unknown) => {
  assert(error instanceof StartError)
  assert.match(error.message, pattern)
  return true
}

describe('`keys end-hash-key`', () => {
  it('deletes id proofs that nobody presents: the key is retired, the phone finds the person, who keeps the rest', async () => {
    const [absent, returning] = [newPerson(), newPerson()]
    const before = await serverWith({ masterKeys, hashKeys: [old] })
    const [absentId, returningId] = [await signIn(before, absent), await signIn(before, returning)]
    const shown = (await before('GET', `/v1/users/${absentId}/export`, { token: platform.token })).body
    assert.equal(shown.id_proof_last4, absent.proof.slice(-4))

    const leading = await serverWith(keys)
    await assert.rejects(end(), refusedWith(/2 phones.* still need this key\. Run `keys rotate`/))
    await rotateHashKey({ db: t.db, keys }, () => rehashAll({ db: t.db, vault: createVault(keys) }, () => {}))
    assert.equal(await signIn(leading, returning), returningId)
    await assert.rejects(end({ days: 365 }), refusedWith(/first since 0 days/))
    await assert.rejects(end({ id: hashKeyId(toFingerprint(fresh)) }), refusedWith(/is the first hash key/))
    await assert.rejects(end({ id: 'none' }), refusedWith(/No hash key has the id none/))
    const [, kept] = await hashKeyStatus({ db: t.db, keys })
    assert.deepEqual([kept?.needed['id proofs'], kept?.retired], [1, false], 'a rejection deletes nothing')

    const counts: number[][] = []
    const [, ended] = await end({ onProgress: (...of) => counts.push(of) })
    assert.deepEqual([ended?.total, ended?.retired, counts], [0, true, [[1, 1]]])

    const alone = await serverWith({ masterKeys, hashKeys: [fresh] })
    assert.equal(await signIn(alone, returning), returningId)
    const search = async () => {
      const body = { id_proof: { type: 'PAN', number: absent.proof } }
      const found = await alone('POST', '/v1/users/search', { token: platform.token, body })
      return found.body.data.map(({ user_id }: { user_id: string }) => user_id)
    }
    assert.deepEqual(await search(), [])
    const exported = (await alone('GET', `/v1/users/${absentId}/export`, { token: platform.token })).body
    assert.deepEqual([exported.user, exported.id_proof_last4], [shown.user, shown.id_proof_last4])

    assert.equal(await signIn(alone, { phone: absent.phone }), absentId)
    assert.equal(await signIn(alone, absent), absentId, 'presented again, it is stored again')
    assert.deepEqual(await search(), [absentId])
    const { phone } = newPerson()
    assert.equal(await signIn(alone, { phone, proof: absent.proof }), absentId, 'and finds them with another phone')
  })
})
