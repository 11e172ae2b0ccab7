import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { walkSealedRows } from '../../../src/access/sealed-rows.ts'
import { createVault } from '../../../src/kernel/crypto/vault.ts'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import { SEALED_ROWS } from '../../../src/data-map/formats.ts'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily, issueAsCorrected } from '../../support/issued-policies.ts'

const t = await openTestApp({ own: true })
const modern = createVault({ ...t.keys, sealing: 'xchacha20-poly1305' })
const node = await t.openNode({ vault: modern })
/** The command's: the service may not change histories and snapshots. */
const owner = connectDatabase({ url: t.ownerUrl, poolSize: 2, batching: false, onLostConnection: () => {} })
after(owner.close)

const scene = await issueToFamily(t, {}, { reason: 'All is well' })
const user = `/v1/users/${scene.user.id}`
const { token } = scene.platform

/** Returns the responses of both nodes to the same reads; they must not differ. */
async function readOnBoth() {
  const urls = [user, `${user}/dependants`, `${user}/insurance_policies`, `${scene.address}/timeline`]
  const texts: string[][] = []
  for (const { call } of [t, node]) {
    const responses = await Promise.all(urls.map((url) => call('GET', url, { token })))
    for (const { status, text } of responses) assert.equal(status, 200, text)
    const document = await call('GET', `${scene.documents}/policy_certificate`, { token })
    assert.equal(document.status, 200)
    texts.push([...responses.map(({ text }) => text), String(document.headers['etag'])])
  }
  assert.deepEqual(texts[0], texts[1])
  assert(!texts.flat().some((text) => text.includes('(unavailable)')))
  return texts[0]
}

/** How many values of every resealed column begin with the prefix, and how many do not. */
async function countSealed(): Promise<{ modern: number; aes: number }> {
  const sum = { modern: 0, aes: 0 }
  for (const { column: name } of SEALED_ROWS) {
    const [table, column] = name.split('.')
    const where = column === 'reason' ? "and entity_id not like 'wal\\_%' and length(reason) > 40" : ''
    const [row] = await t.sql<typeof sum>(
      `select count(*) filter (where ${column} like 'x.%')::int as modern,
              count(*) filter (where ${column} not like 'x.%')::int as aes from ${table} where ${column} is not null ${where}`,
    )
    sum.modern += row?.modern ?? 0
    sum.aes += row?.aes ?? 0
  }
  return sum
}

async function resealAll(vault: typeof modern): Promise<void> {
  for (const rows of SEALED_ROWS) {
    const result = await walkSealedRows({ db: owner, vault }, rows, { reseals: true, onProgress: () => {} })
    assert.deepEqual([result.left, result.unreadable], [0, []], rows.column)
  }
}

describe('nodes of which one seals with AES and the other with XChaCha20-Poly1305', () => {
  it('read and change the records of each other', async () => {
    assert.equal((await countSealed()).modern, 0, 'AES is the default')
    const changed = await node.call('PATCH', user, { token, body: { first_name: 'Changed' } })
    assert.equal(changed.status, 200, changed.text)
    const dependants = [{ first_name: 'Mira', last_name: 'Example', date_of_birth: '2019-08-02' }]
    const made = await node.call('POST', `${user}/dependants/bulk`, { token, body: { dependants } })
    assert.equal(made.status, 201, made.text)
    const { modern: written, aes } = await countSealed()
    assert(written >= 2 && aes > 0, 'both are there')
    await readOnBoth()
    await issueAsCorrected(t, scene)
    await readOnBoth()
  })

  it('issue tokens for a user that the other has created', async () => {
    const phone = { phone_country_code: '+91', phone_number: '9876500001', first_name: 'Asha' }
    const issue = (call: typeof t.call) => call('POST', '/v1/auth/token', { token, body: phone })
    const [first, second, third] = [await issue(node.call), await issue(t.call), await issue(node.call)]
    assert.deepEqual(
      [first, second, third].map(({ status, body }) => [status, body.user_id]),
      Array.from({ length: 3 }, () => [200, first.body.user_id]),
    )
  })
})

describe('resealing', () => {
  it('brings every value into the one that is set, and back, and nothing that is shown changes', async () => {
    const before = await readOnBoth()
    await resealAll(modern)
    const forth = await countSealed()
    assert(forth.modern > 8 && forth.aes === 0, `${forth.aes} are left`)
    assert.deepEqual(await readOnBoth(), before)
    await resealAll(t.deps.vault)
    assert.deepEqual(await countSealed(), { modern: 0, aes: forth.modern })
    assert.deepEqual(await readOnBoth(), before)
  })
})
