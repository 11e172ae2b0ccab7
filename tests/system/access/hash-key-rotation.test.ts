import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashKeyStatus, rotateHashKey } from '../../../src/domains/people/users/hash-keys-store.ts'
import { toIdentity } from '../../../src/domains/people/users/to-identity.ts'
import { rehashIdProof } from '../../../src/domains/people/users/rehash-store.ts'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { codeToSend } from '../../../src/access/otp.ts'
import { createVault, type PerKey, type Vault } from '../../../src/kernel/crypto/vault.ts'
import type { Queryable } from '../../../src/kernel/db/database.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { rehashAll } from '../../../src/boot/rehash.ts'
import { type CallFunction, ONBOARDING, openTestApp } from '../../support/app.ts'
import { phoneInput } from '../../support/sessions.ts'

const t = await openTestApp({ own: true })
const { masterKeys } = t.keys
const old = t.keys.hashKeys[0]
const fresh = Buffer.alloc(32, 77)

type Server = { vault: Vault; keys: { masterKeys: typeof masterKeys; hashKeys: PerKey<Buffer> }; call: CallFunction }

async function serverWith(...hashKeys: [Buffer, ...Buffer[]]): Promise<Server> {
  const keys = { masterKeys, hashKeys }
  await checkKeys(t.db, keys)
  const vault = createVault(keys)
  return { vault, keys, call: (await t.openNode({ vault })).call }
}

// The steps of a rotation; each is tested together with the previous and the next one.
const before = await serverWith(old)
const prepared = await serverWith(old, fresh)
const platform = await t.platform()

const newPhone = () => String(randomInt(1e9, 1e10))
const formOf = (phone: string, proof?: string) => ({
  phone_country_code: '+91',
  phone_number: phone,
  ...(proof !== undefined && { id_proof: { type: 'PAN', number: proof } }),
})

async function userOf(server: Server, phone: string, proof?: string): Promise<string> {
  const answer = await server.call('POST', '/v1/auth/token', { token: platform.token, body: formOf(phone, proof) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.user_id
}

const usersWithPhone = async (server: Server, phone: string): Promise<string[]> => {
  const body = { phone_country_code: '+91', phone_number: phone }
  const found = await server.call('POST', '/v1/users/search', { token: platform.token, body })
  assert.equal(found.status, 200, found.text)
  return found.body.data.map(({ user_id }: { user_id: string }) => user_id)
}

const rotate = (server: Server, db: Queryable = t.db) =>
  rotateHashKey({ db, keys: server.keys }, () => rehashAll({ db, vault: server.vault }, () => {}))

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: unknown) => {
      assert(error instanceof StartError, String(error))
      return error.message
    },
  )

const newProof = () => `ABCDE${randomInt(1e9)}`
const known = await Promise.all(
  Array.from({ length: 30 }, async (_, n) => {
    const phone = newPhone()
    const proof = n % 3 === 0 ? newProof() : undefined
    return { id: await userOf(before, phone, proof), phone, proof }
  }),
)

describe('hash key rotation, before any row is rehashed', () => {
  it('is rejected until a server has started with the new key first', async () => {
    const keys = { masterKeys, hashKeys: [fresh, old] as const }
    const vault = createVault(keys)
    const sentence = `No server has started with the key ${vault.hashKey} in front of HASH_KEY. Start every server with it, then rotate.`
    assert.equal(
      await errorOf(rotateHashKey({ db: t.db, keys }, async () => assert.fail('nothing is moved'))),
      sentence,
    )
    assert.equal(
      await errorOf(checkKeys(t.db, { masterKeys, hashKeys: [fresh] })),
      'HASH_KEY is not the key this database was filled with. Set the original key.',
    )
  })

  it('concurrent sign-ins with one phone on servers that prefer different keys create one user', async () => {
    const leading = await serverWith(fresh, old)
    for (const servers of [
      [before, prepared],
      [prepared, leading],
      [before, prepared],
      [prepared, leading],
    ]) {
      await Promise.all(
        Array.from({ length: 6 }, async (_, n) => {
          const phone = newPhone()
          const proof = n % 2 === 0 ? newProof() : undefined
          const calls = Array.from({ length: 8 }, (__, call) => userOf(servers[call % 2] as Server, phone, proof))
          const ids = new Set(await Promise.all(calls))
          assert.equal(ids.size, 1)
          for (const id of ids) known.push({ id, phone, proof })
          for (const server of servers) assert.equal((await usersWithPhone(server, phone)).length, 1)
        }),
      )
    }
  })

  it('every server finds existing users, and nothing about them changes', async () => {
    const leading = await serverWith(fresh, old)
    const events = () => t.sql(`select event_id from events where type = 'user.updated'`)
    const count = (await events()).length
    for (const server of [before, prepared, leading]) {
      for (const { id, phone, proof } of known.slice(0, 9)) {
        if (server !== leading || proof === undefined) assert.equal(await userOf(server, phone, proof), id)
        assert.deepEqual(await usersWithPhone(server, phone), [id])
      }
    }
    assert.equal((await events()).length, count)
  })

  it('a new phone frees the old one under both keys: its next holder is a different user', async () => {
    const leading = await serverWith(fresh, old)
    for (const [maker, changer, next] of [
      [before, leading, prepared],
      [leading, prepared, leading],
      [prepared, before, prepared],
    ] as const) {
      const [phone, later] = [newPhone(), newPhone()]
      const id = await userOf(maker, phone)
      const body = { phone_country_code: '+91', phone_number: later }
      const patched = await changer.call('PATCH', `/v1/users/${id}`, { token: platform.token, body })
      assert.equal(patched.status, 200, patched.text)
      assert.deepEqual(await usersWithPhone(next, phone), [])
      const holder = await userOf(next, phone)
      assert.notEqual(holder, id)
      assert.equal(await userOf(next, later), id)
    }
  })

  it('a number that is set free leaves no lookup under either key, and its user goes on without one', async () => {
    const leading = await serverWith(fresh, old)
    const [phone, proof] = [newPhone(), newProof()]
    const id = await userOf(prepared, phone, proof)
    const token = platform.token
    const patch = (server: Server, body: object) => server.call('PATCH', `/v1/users/${id}`, { token, body })
    assert.equal((await patch(prepared, { phone_country_code: null, phone_number: null })).status, 200)
    for (const server of [before, prepared, leading]) assert.deepEqual(await usersWithPhone(server, phone), [])
    for (const [n, server] of [before, prepared, leading].entries())
      assert.equal((await patch(server, { email: `without-${n}@example.com` })).body.phone_number, '')
    assert.deepEqual(await t.sql('select 1 from user_phones where user_id = $1', [id]), [])
    const holder = await userOf(leading, phone)
    assert.notEqual(holder, id)
    const next = newPhone()
    assert.equal(await userOf(leading, next, proof), id)
    for (const server of [prepared, leading]) assert.deepEqual(await usersWithPhone(server, next), [id])
    known.push({ id, phone: next, proof }, { id: holder, phone, proof: undefined })
  })

  it('an erased user leaves no lookup under either key: the phone and the id proof are free', async () => {
    const leading = await serverWith(fresh, old)
    const [phone, proof] = [newPhone(), newProof()]
    const id = await userOf(prepared, phone, proof)
    const erased = await leading.call('DELETE', `/v1/users/${id}`, { token: platform.token })
    assert.equal(erased.status, 200, erased.text)
    const next = await userOf(prepared, phone, proof)
    assert.notEqual(next, id)
    const left = `select user_id from user_phones where user_id = $1 union all
                  select user_id from user_id_proofs where user_id = $1`
    assert.deepEqual(await t.sql(left, [id]), [])
    assert.deepEqual(await usersWithPhone(leading, phone), [next])
  })

  it('an id proof that is presented while its user is erased is not stored again', async () => {
    const leading = await serverWith(fresh, old)
    const [phone, proof] = [newPhone(), newProof()]
    const id = await userOf(before, phone, proof)
    const [stored] = await t.sql<{ id_proof_hash: Buffer }>(
      'select id_proof_hash from user_id_proofs where user_id = $1',
      [id],
    )
    const { idProofHash, hashKey, ...rest } = toIdentity(leading.vault.hashers[0], platform.id, formOf(phone, proof))
    assert(stored && idProofHash && !idProofHash.equals(stored.id_proof_hash))
    const erased = await leading.call('DELETE', `/v1/users/${id}`, { token: platform.token })
    assert.equal(erased.status, 200, erased.text)
    // What a server does that read the user before.
    const identity = { ...rest, idProofHash, hashKey }
    await rehashIdProof(t.db, {
      user: { id, idProofHash: stored.id_proof_hash },
      storedHash: stored.id_proof_hash,
      identity,
    })
    assert.deepEqual(await t.sql('select 1 from user_id_proofs where user_id = $1', [id]), [])
    assert.notEqual(await userOf(leading, phone, proof), id)
  })

  it('an id proof that is presented with news leaves nothing under the old key', async () => {
    const leading = await serverWith(fresh, old)
    const [phone, proof] = [newPhone(), newProof()]
    const id = await userOf(before, phone, proof)
    const body = { ...formOf(phone, proof), first_name: 'Asha' }
    const changed = await leading.call('POST', '/v1/auth/token', { token: platform.token, body })
    assert.deepEqual([changed.status, changed.body.user_id], [200, id], changed.text)
    const [user] = await t.sql<{ id_proof_hash: Buffer }>('select id_proof_hash from users where user_id = $1', [id])
    const rows = await t.sql<{ id_proof_hash: Buffer; hash_key: string }>(
      'select id_proof_hash, hash_key from user_id_proofs where user_id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ id_proof_hash: user?.id_proof_hash, hash_key: leading.vault.hashKey }])
  })
})

describe('an operation that spans two servers', () => {
  it('completes for a one-time code, and for a refresh token whose response was lost', async () => {
    const leading = await serverWith(fresh, old)
    for (const [one, other] of [
      [prepared, leading],
      [leading, prepared],
    ] as const) {
      const phone = newPhone()
      await userOf(one, phone)
      await t.sql('delete from otp_limits')
      const asked = await one.call('POST', '/wallet/v1/auth/otp', { body: phoneInput(platform, phone) })
      assert.equal(asked.status, 202, asked.text)
      const challengeId = asked.body.challenge_id as string
      const code = (await codeToSend(t.db, other.vault, challengeId))?.code
      assert(code, 'the worker finds the code, whichever server made it')
      const verified = await other.call('POST', '/wallet/v1/auth/otp/verify', {
        body: { challenge_id: challengeId, otp: code },
      })
      assert.equal(verified.status, 200, verified.text)
      const refresh = (server: Server, refresh_token: string) =>
        server.call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })
      const first = await refresh(one, verified.body.refresh_token)
      const again = await refresh(other, verified.body.refresh_token)
      assert.equal(again.body.refresh_token, first.body.refresh_token)
      assert.equal((await refresh(other, again.body.refresh_token)).status, 200, 'the session goes on')
    }
  })

  it('applies once under its idempotency key', async () => {
    const leading = await serverWith(fresh, old)
    const headers = { 'idempotency-key': `once-${randomInt(1e9)}` }
    const make = ({ call }: Server) =>
      call('POST', '/v1/platforms', { token: t.owner, headers, body: { name: 'Once' } })
    const responses = await Promise.all([prepared, leading, prepared, leading, prepared, leading].map(make))
    const made = responses.filter(({ status }) => status === 201)
    assert(made.length > 0)
    assert.equal(new Set(made.map(({ body }) => body.id)).size, 1)
    for (const { status } of responses) assert([201, 409].includes(status))
  })

  it('registers a dependant once, and a repeated onboarding is the same onboarding', async () => {
    const leading = await serverWith(fresh, old)
    const user = await t.onboardedUser(platform)
    const dependant = { first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }
    const register = ({ call }: Server) =>
      call('POST', `/v1/users/${user.id}/dependants/bulk`, { token: platform.token, body: { dependants: [dependant] } })
    const responses = await Promise.all([prepared, leading, prepared, leading].map(register))
    assert.deepEqual(
      responses.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409, 409],
    )
    const onboarded = await leading.call('POST', `/v1/users/${user.id}/complete_onboarding`, {
      token: platform.token,
      body: ONBOARDING,
    })
    assert.equal(onboarded.status, 200, onboarded.text)
  })
})

describe('hash key rotation', () => {
  it('under sign-ins with old and new phones loses and duplicates no user; then the new key alone suffices', async () => {
    const [leading, second] = [await serverWith(fresh, old), await serverWith(fresh, old)]
    // One that prefers the old key is still draining while the rows are rehashed.
    const servers = [leading, second, prepared]
    const repeated = await t.onboardedUser(platform)
    const dependants = await t.dependants(repeated)
    assert.equal(dependants.length, 1)
    const load = { isOver: false }
    const born: typeof known = []
    /** Every server at once creates or finds the user, and all of them the same one. */
    const signInAtOnce = async (phone: string, proof?: string): Promise<string> => {
      const calls = [...servers, ...servers].map((server) => userOf(server, phone, proof))
      const ids = new Set(await Promise.all(calls))
      assert.equal(ids.size, 1, `one user for one phone: ${[...ids].join()}`)
      return ids.values().next().value as string
    }
    const rounds = [0, 0, 0, 0]
    const callers = rounds.map(async (_, caller) => {
      for (let call = caller; !load.isOver; call++) {
        rounds[caller] = call
        const { id, phone, proof } = known[call % known.length] as (typeof known)[0]
        assert.equal(await signInAtOnce(phone, proof), id)
        const fellow = { phone: newPhone(), proof: call % 3 === 0 ? newProof() : undefined }
        born.push({ id: await signInAtOnce(fellow.phone, fellow.proof), ...fellow })
      }
    })
    const isDone = Promise.all(callers).finally(() => (load.isOver = true))
    /** Repeats the work until each caller has begun as many further rounds. */
    const repeat = async (work: () => Promise<unknown>, times: number) => {
      const enough = rounds.map((begun) => begun + times)
      while (!load.isOver && rounds.some((begun, caller) => begun < (enough[caller] ?? 0))) await work()
    }
    const rehash = () => rehashAll({ db: t.db, vault: leading.vault }, () => {})
    const rotation = async () => {
      await repeat(rehash, 5)
      servers.pop()
      await repeat(rehash, 2) // it has finished what it had begun
      await repeat(() => rotate(leading), 2)
    }
    await rotation().finally(() => (load.isOver = true))
    await isDone
    for (const { id, phone, proof } of [...known, ...born]) assert.equal(await userOf(leading, phone, proof), id)

    const status = await rotate(leading)
    const needed = status.map((key) => key.needed)
    assert.deepEqual(
      status.map(({ first, retired, total }) => [first, retired, total > 0]),
      [
        [true, false, true],
        [false, true, false],
      ],
      JSON.stringify(needed),
    )
    const alone = await serverWith(fresh)
    for (const { id, phone, proof } of known) assert.equal(await userOf(alone, phone, proof), id)
    for (const { id, phone } of [...known, ...born]) assert.deepEqual(await usersWithPhone(alone, phone), [id])
    const again = { first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }
    const twice = await alone.call('POST', `/v1/users/${repeated.id}/dependants/bulk`, {
      token: platform.token,
      body: { dependants: [again] },
    })
    assert.equal(twice.status, 409, twice.text)
    const onboarded = await alone.call('POST', `/v1/users/${repeated.id}/complete_onboarding`, {
      token: platform.token,
      body: ONBOARDING,
    })
    assert.equal(onboarded.status, 200, onboarded.text)

    await rotate(alone)
    const shadows = await t.sql('select 1 from user_phones where hash_key is distinct from $1', [alone.vault.hashKey])
    assert.equal(shadows.length, 0, 'what was written under both keys has gone')
    const twoHashes = await t.sql('select 1 from users where other_phone_hash is not null')
    assert.equal(twoHashes.length, 0)
  })

  it('keeps the old key for an id proof not presented yet: no start without the key; rehashed when presented', async () => {
    const next = Buffer.alloc(32, 78)
    const alone = await serverWith(fresh)
    const [phone, proof] = [newPhone(), newProof()]
    const id = await userOf(alone, phone, proof)
    const leading = await serverWith(next, fresh)
    const [, former] = await rotate(leading)
    assert.equal(former?.retired, false)
    assert((former?.needed['id proofs'] ?? 0) >= 1)
    assert.equal(former?.needed.phones, 0)
    assert.equal(
      await errorOf(checkKeys(t.db, { masterKeys, hashKeys: [next] })),
      `HASH_KEY lacks the key with the fingerprint ${alone.vault.hashKey}, by which people are still found. Add it after the first key.`,
    )
    assert.equal(await userOf(leading, phone, proof), id)
    for (const one of known) if (one.proof) assert.equal(await userOf(leading, one.phone, one.proof), one.id)
    const needed = async () =>
      (await hashKeyStatus({ db: t.db, keys: leading.keys })).find((key) => !key.first && !key.retired)?.needed[
        'id proofs'
      ]
    assert((await needed()) !== undefined)
    const before_ = former?.needed['id proofs'] ?? 0
    assert(((await needed()) ?? 0) < before_, 'those that were shown have moved')
  })
})
