import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import {
  createRestoreListWriter,
  parseRestoreList,
  readRestoreList,
  runErasures,
} from '../../../src/domains/privacy/personal-data/index.ts'
import { countAll } from '../../../src/domains/administration/statistics/index.ts'
import { hashKeyStatus } from '../../../src/domains/people/users/index.ts'
import { ERASED, erasureDeps } from '../../../src/data-map/erase.ts'
import { addDays } from '../../../src/kernel/date.ts'
import { todayIn } from '../../../src/kernel/clock.ts'
import { compiledCode } from '../../../src/kernel/compiled-code.ts'
import type { Storage } from '../../../src/kernel/storage/storage.ts'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../support/issued-policies.ts'
import { VAULT_KEYS } from '../../support/keys.ts'
import { prepareScenes, rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const folder = await mkdtemp(join(tmpdir(), 'banyan-hold-'))
after(() => rm(folder, { recursive: true, force: true }))
const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const DAYS = 365

const pemOf = (key: KeyObject) =>
  key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString()
const holder = generateKeyPairSync('rsa', { modulusLength: 3_072 })
const stranger = generateKeyPairSync('rsa', { modulusLength: 3_072 })
const keyFile = join(folder, 'holder.pem')
const strangerFile = join(folder, 'stranger.pem')
await writeFile(keyFile, pemOf(holder.privateKey))
await writeFile(strangerFile, pemOf(stranger.privateKey))

const erasure = { ...t.deps.erasure, holdDays: DAYS, holdKey: holder.publicKey }
const node = await t.openNode({ erasure })
const { person } = prepareScenes(t)
const until = () => addDays(todayIn(t.deps.clock), DAYS)

const erase = async ({ platform, user }: PolicyScene) =>
  (await node.call('DELETE', `/v1/users/${user.id}?end_policies=true`, { token: platform.token })).body

/** A worker's run on this day, at noon; today without one. */
async function run(day?: string): Promise<void> {
  t.clock.at = day === undefined ? undefined : new Date(`${day}T12:00:00Z`)
  try {
    await runErasures({ ...t.deps, erasure, ...erasureDeps(t.deps) }, t.log)
  } finally {
    t.clock.at = undefined
  }
}

type Output = { code: number; out: string; err: string }

async function banyan(words: string[], environment: Record<string, string> = {}, input = ''): Promise<Output> {
  const env = { ...compiledCode(), PATH: String(process.env['PATH']), DATA_DIR: folder, ...environment }
  const child = spawn(process.execPath, [MAIN, 'erasures', ...words], { env, cwd: folder, timeout: 60_000 })
  child.stdin.end(input)
  const ended = once(child, 'close')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number]
  return { code, out, err }
}

const held = ({ user }: PolicyScene) => banyan(['held', user.id], { DATABASE_URL: t.appUrl })
/** As the holder does, with no database and no settings. */
const open = (input: string, key = keyFile) => banyan(['open', '--key', key], {}, input)
const linesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const holdOf = async ({ user }: PolicyScene) =>
  (
    await t.sql<{ until: string }>('select held_until::text as until from erasure_holds where user_id = $1', [user.id])
  )[0]?.until

describe('an erasure with a hold of a year', () => {
  it('says what is held, by which law and until when; the person is gone at once', async () => {
    const at = await person()
    const preview = await node.call('GET', `/v1/users/${at.user.id}/erasure`, { token: at.platform.token })
    const { fields } = await erase(at)
    assert.deepEqual(preview.body.fields, fields)
    const law = 'Digital Personal Data Protection Rules, 2025, rule 8(3)'
    for (const { field, ...outcome } of fields) {
      const { hold: isHeld, ground } = ERASED.find((one) => one.field === field) ?? assert.fail(field)
      if (isHeld) assert.deepEqual(outcome, { outcome: 'retained', law, until: until() }, field)
      else assert.equal(outcome.outcome, ground ? 'retained' : 'erased', field)
    }
    const ofHold = fields.filter((one: { law?: string }) => one.law === law)
    assert(ofHold.length >= 8)

    for (const path of ['', '/export', '/dependants', '/consents', '/consultations', '/insurance_policies', '/erasure'])
      for (const token of [at.platform.token, t.owner])
        assert.equal((await node.call('GET', `/v1/users/${at.user.id}${path}`, { token })).status, 404, path)
    const byPhone = { phone_country_code: '+91', phone_number: at.user.phone }
    const search = await node.call('POST', '/v1/users/search', { token: at.platform.token, body: byPhone })
    assert.equal(search.body.total, 0)
    for (const run of ['before', 'after'] as const) {
      for (const [list, token] of [
        ['consultations', at.provider.token],
        ['endorsements', at.provider.token],
        ['insurance_policies', at.platform.token],
        ['next_actions', at.platform.token],
      ] as const) {
        const { data } = await t.made('GET', `/v1/${list}?limit=100`, { token })
        assert(!JSON.stringify(data).includes(at.user.id), `${list} ${run} the rest is erased`)
      }
      await runErasures({ ...t.deps, erasure, ...erasureDeps(t.deps) }, t.log)
    }
  })

  it('leaves the key to nobody but the holder of the private key, and deletes what leads to the person', async () => {
    const at = await person()
    const [before] = await t.sql<{ key: string; sealed: string }>(
      'select data_key as key, sealed from users where user_id = $1',
      [at.user.id],
    )
    await erase(at)
    await run()
    const [row] = await t.sql(
      `select u.data_key, u.sealed, u.phone_hash, u.id_proof_last4, h.wrapped_key, h.sealed as held_sealed, h.held_until::text as until
         from users u join erasure_holds h using (user_id) where u.user_id = $1`,
      [at.user.id],
    )
    const { wrapped_key, ...others } = row as Record<string, unknown> & { wrapped_key: string }
    assert.deepEqual(others, {
      data_key: null,
      sealed: '',
      phone_hash: Buffer.alloc(0),
      id_proof_last4: null,
      held_sealed: before?.sealed,
      until: until(),
    })
    assert.throws(() => t.deps.vault.unwrap(wrapped_key), 'no master key opens it')
    assert(!wrapped_key.includes(before?.key ?? '-'))
    const rows = await rowsByTable(t, at.user.id)
    for (const table of ['dependants', 'consultations', 'consultation_messages', 'consents', 'rights_requests'])
      assert((rows[table] ?? 0) > 0, `${table} wait for the end of the hold`)
    for (const table of [
      'user_phones',
      'user_id_proofs',
      'user_references',
      'user_providers',
      'refresh_families',
      'idempotency_keys',
      'otp_challenges',
      'policy_files',
      'health_cards',
      'card_checks',
      'accounts',
      'account_numbers',
      'policy_endorsements',
      'policy_assignees',
      'wallet_ids',
    ])
      assert.equal(rows[table], 0, `${table} do not`)
  })

  it('opens for the holder, who has no database and no settings, until its last day, and not after it', async () => {
    const at = await person()
    await erase(at)
    await run()
    const sealed = await held(at)
    assert.equal(sealed.code, 0, sealed.err)
    for (const word of ['Asha', 'Ravi', 'fever', 'Screen 4', at.user.phone ?? '-'])
      assert(!sealed.out.includes(word), `${word} is not readable without the key`)

    const opened = await open(sealed.out)
    assert.equal(opened.code, 0, opened.err)
    const [first, ...values] = linesOf(opened.out)
    assert.deepEqual([first.user_id, first.held_until, 'wrapped_key' in first], [at.user.id, until(), false])
    assert.match(first.id_proof_last4, /^.{4}$/)
    const valuesIn = (column: string) => values.filter((one) => one.column === column).map(({ value }) => value)
    const [profile] = valuesIn('users.sealed')
    assert.deepEqual([profile.first_name, profile.phone_number], ['Asha', at.user.phone])
    const dependants = valuesIn('dependants.sealed').map(({ first_name }) => first_name)
    assert.deepEqual(new Set(dependants), new Set(['Mina', 'Ravi']))
    assert.deepEqual(valuesIn('consents.proof_sealed'), ['Screen 4'])
    assert.deepEqual(valuesIn('rights_requests.text_sealed'), ['What do you know of me?'])
    assert(JSON.stringify(valuesIn('consultation_messages.sealed')).includes('I have a fever'))
    assert(JSON.stringify(valuesIn('ledger_transactions.sealed')).includes('For school books'))
    assert(JSON.stringify(valuesIn('policy_snapshots.sealed')).includes('Ravi'), 'what the documents said')

    await run(until())
    assert.equal((await held(at)).code, 0, 'on the last day')
    await run(addDays(until(), 1))
    const over = await held(at)
    assert.deepEqual([over.code, over.out], [1, ''])
    assert.match(over.err, /^Nothing is held of \d{12}\.\n$/)
    const rows = await rowsByTable(t, at.user.id)
    for (const { tables } of ERASED)
      for (const [table, outcome] of Object.entries(tables))
        if (outcome === 'deleted' && table in rows) assert.equal(rows[table], 0, `${table} is deleted with the hold`)
    const [policy] = await t.sql('select sealed, dependant_ids from insurance_policies where user_id = $1', [
      at.user.id,
    ])
    assert.deepEqual(policy, { sealed: null, dependant_ids: [] })
  })

  it('exit 2 for another private key and an altered list, 1 for a value of another row', async () => {
    const [one, other] = [await person(), await person()]
    for (const at of [one, other]) await erase(at)
    const [ofOne, ofOther] = [(await held(one)).out, (await held(other)).out]
    const wrong = await open(ofOne, strangerFile)
    assert.deepEqual([wrong.code, wrong.out], [2, ''])
    assert.match(wrong.err, /^The key of the person was wrapped for the private key \w{16}; this one is \w{16}\.\n$/)
    const [first = '', ...rest] = ofOne.trim().split('\n')
    const [firstOfOther = ''] = ofOther.split('\n')
    const altered = { ...JSON.parse(first), user_id: other.user.id }
    for (const line of [JSON.stringify(altered), firstOfOther.replace(other.user.id, one.user.id)]) {
      const { code, out, err } = await open([line, ...rest].join('\n'))
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, /^The key of the person does not open/)
    }
    for (const input of ['', 'no list', `${first}\n{}`]) {
      const { code, out, err } = await open(input)
      assert.deepEqual([code, out], [2, ''], input)
      assert.match(err, /^Line [12] is not of the output of `erasures held`\./)
    }
    const closed = join(folder, 'closed.pem')
    await writeFile(
      closed,
      holder.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    )
    for (const key of [closed, MAIN]) assert.equal((await open(ofOne, key)).code, 2, key)

    const mixed = await open([firstOfOther, ...rest].join('\n'))
    assert.equal(mixed.code, 1)
    const [, ...values] = linesOf(mixed.out)
    assert(values.every((value) => value.unreadable === true && !('value' in value)))
    for (const words of [
      ['held', '--help'],
      ['open', '--help'],
    ])
      assert.match((await banyan(words)).out, /Exit codes: 0 /)
  })

  it('waits for nobody: not in the statistics, and not for an older hash key', async () => {
    const at = await person()
    const counted = async () => {
      await t.sql(`update statistics set as_of = as_of - interval '1 minute'`) // else they are fresh enough
      await countAll(t.deps.db, t.deps.clock)
      const { waiting } = await t.made('GET', '/v1/statistics', { token: at.provider.token })
      const status = await hashKeyStatus({ db: t.deps.db, keys: t.keys })
      const dependants = status.reduce((sum, { needed }) => sum + needed.dependants, 0)
      return { waiting: waiting.find(({ list }: { list: string }) => list === 'consultations')?.count ?? 0, dependants }
    }
    const before = await counted()
    await erase(at)
    await run()
    assert.deepEqual(await counted(), { waiting: before.waiting - 1, dependants: before.dependants - 2 })
  })

  it('is none for a person whose data key nobody can open, who is erased like any other', async () => {
    const at = await issueToFamily(t)
    await t.sql(`update users set data_key = 'lost.' || split_part(data_key, '.', 2) where user_id = $1`, [at.user.id])
    const { fields } = await erase(at)
    const [profile] = fields
    assert.deepEqual(profile, { field: 'profile', outcome: 'erased' })
    assert.equal(await holdOf(at), undefined)
    await run()
    assert.equal((await rowsByTable(t, at.user.id))['dependants'], 0)
  })

  it('begins when the notice is over, and the first response says so', async () => {
    const at = await issueToFamily(t)
    const noticed = { ...erasure, noticeHours: 48 }
    const other = await t.openNode({ erasure: noticed })
    const path = `/v1/users/${at.user.id}?end_policies=true`
    const { body } = await other.call('DELETE', path, { token: at.platform.token })
    const promised = addDays(todayIn({ now: () => new Date(Date.now() + 48 * 3_600_000) }), DAYS)
    assert.equal(body.fields[0].until, promised)
    assert.equal(await holdOf(at), undefined)
    t.clock.at = new Date(Date.now() + 49 * 3_600_000)
    const expected = addDays(todayIn(t.deps.clock), DAYS)
    try {
      await runErasures({ ...t.deps, erasure: noticed, ...erasureDeps(t.deps) }, t.log)
    } finally {
      t.clock.at = undefined
    }
    assert.equal(await holdOf(at), expected)
  })

  it('holds nothing where it is not set', async () => {
    const at = await issueToFamily(t)
    await t.made('DELETE', `/v1/users/${at.user.id}?end_policies=true`, { token: at.platform.token })
    assert.equal(await holdOf(at), undefined)
  })
})

describe('a held erasure and a restore', () => {
  const pem = pemOf(holder.publicKey)
  const apply = (input: string, more: Record<string, string> = {}) =>
    banyan(['apply'], { ...VAULT_KEYS, DATABASE_URL: t.appUrl, ERASURE_HOLD_KEY: pem, ...more }, input)
  const tombstone = ({ user }: PolicyScene, held_until?: string) =>
    `${JSON.stringify({ user_id: user.id, erased_at: '2026-01-31T09:30:00.000Z', held_until })}\n`

  it('is listed with its last day, and holds again until that day, whatever is set now', async () => {
    const at = await issueToFamily(t)
    const last = addDays(todayIn(t.deps.clock), 20)
    for (const days of ['0', '3650']) {
      const applied = await apply(tombstone(at, last), { ERASURE_HOLD_DAYS: days })
      assert.equal(applied.code, 0, applied.err)
      assert.equal(await holdOf(at), last, 'also the second time')
    }
    const listed = await banyan(['list'], { DATABASE_URL: t.appUrl })
    assert.deepEqual(
      linesOf(listed.out).find(({ user_id }) => user_id === at.user.id),
      { user_id: at.user.id, erased_at: '2026-01-31T09:30:00.000Z', held_until: last },
    )
    assert.equal(linesOf((await open((await held(at)).out)).out)[1].value.first_name, 'Asha')
  })

  it('holds nothing that was not held, or whose hold is over', async () => {
    const [never, over] = [await issueToFamily(t), await issueToFamily(t)]
    const yesterday = addDays(new Date().toISOString().slice(0, 10), -1)
    const applied = await apply(tombstone(never) + tombstone(over, yesterday), { ERASURE_HOLD_DAYS: '365' })
    assert.match(applied.out, /^2 erased/)
    for (const at of [never, over]) {
      assert.equal(await holdOf(at), undefined)
      assert.equal((await rowsByTable(t, at.user.id))['dependants'], 0)
    }
  })

  it('exit 2 without the public key, before anybody is erased', async () => {
    const at = await issueToFamily(t)
    const { code, out, err } = await apply(tombstone(at, until()), { ERASURE_HOLD_KEY: '' })
    assert.deepEqual([code, out], [2, ''])
    assert.equal(err, 'The list has erasures that are held. Set ERASURE_HOLD_KEY; nothing was erased.\n')
    assert.equal((await t.call('GET', `/v1/users/${at.user.id}`, { token: at.platform.token })).status, 200)
    const broken = await apply(tombstone(at, 'soon'))
    assert.deepEqual([broken.code, broken.err.startsWith('Line 1 is not a tombstone')], [2, true])
  })

  it('stands in the list for restores', async () => {
    const files = new Map<string, string>()
    const storage: Pick<Storage, 'get' | 'put'> = {
      get: async (key) => {
        const content = files.get(key)
        return content === undefined ? undefined : (await import('node:stream')).Readable.from([Buffer.from(content)])
      },
      put: async (key, bytes) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of bytes) chunks.push(chunk)
        files.set(key, Buffer.concat(chunks).toString())
      },
    }
    const { write } = createRestoreListWriter({ db: t.deps.db, clock: t.deps.clock, storage })
    await write()
    const [with_hold, without] = [await issueToFamily(t), await issueToFamily(t)]
    await erase(with_hold)
    await t.made('DELETE', `/v1/users/${without.user.id}?end_policies=true`, { token: without.platform.token })
    await write()
    const list = await readRestoreList(storage, todayIn(t.deps.clock))
    const { tombstones } = parseRestoreList(list ?? '')
    const of = ({ user }: PolicyScene) => tombstones.find(({ user_id }) => user_id === user.id)
    assert.equal(of(with_hold)?.held_until, until())
    assert.deepEqual(Object.keys(of(without) ?? {}), ['user_id', 'erased_at'])
  })
})
