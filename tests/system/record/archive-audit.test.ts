import assert from 'node:assert/strict'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { createAuditHeads } from '../../../src/access/audit-heads.ts'
import { rewrapDataKeys } from '../../../src/access/data-keys.ts'
import { createVault } from '../../../src/kernel/crypto/vault.ts'
import type { Database } from '../../../src/kernel/db/database.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import type { Storage } from '../../../src/kernel/storage/storage.ts'
import { archiveAudit, showArchive, verifyArchives } from '../../../src/record/archive-audit.ts'
import { getArchive } from '../../../src/record/audit-archive.ts'
import { findArchiveOverdue } from '../../../src/record/audit-archives-store.ts'
import { sealAudit, verifyAudit } from '../../../src/record/seal-audit.ts'
import { openTestApp } from '../../support/app.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })
const { storage, vault } = t.deps
const auditHeads = createAuditHeads({ keys: t.keys.signingKeys })
const context = { db: t.db, storage, vault, auditHeads }
const platform = await t.platform()
const folder = join(t.storageFolder, 'audit')
const fileOf = (first: number) => join(folder, `${String(first).padStart(12, '0')}.file`)

const FIRST = 'audit/000000000001'
const SECOND = 'audit/000000000003'
const BATCH_MEMBERS = ['number', 'last_xid', 'last_audit_id', 'entry_count', 'hash', 'signature']
/** Two batches to a file. */
const SETTINGS = { days: 30, entriesMax: 4 }

/** Five batches of three entries: four are old enough for two files. */
beforeEach(async () => {
  await t.sql('truncate audit_entries, audit_batches, audit_archives')
  await rm(folder, { recursive: true, force: true })
  for (let batch = 0; batch < 5; batch++) await sealThree()
  await age(4)
})

async function sealThree(): Promise<void> {
  for (let entry = 0; entry < 3; entry++) await t.user(platform)
  await settled(t)
  await sealAudit(context)
}

const age = (last: number) =>
  t.sql(`update audit_batches set at = now() - interval '32 days' where number <= $1`, [last])

async function archive(over: Partial<typeof context> = {}): Promise<void> {
  while (await archiveAudit({ ...context, ...over }, SETTINGS));
}

const verify = (over: Partial<typeof context> = {}) => verifyArchives({ ...context, ...over })
const files = async () => (await readdir(folder).catch((): string[] => [])).toSorted()
const rows = () =>
  t.sql<{ archive_id: string; first: number; last: number; done: boolean }>(
    `select archive_id, first_number::int as first, last_number::int as last, archived_at is not null as done
       from audit_archives order by 1`,
  )

/** A storage that fails at one of its calls, as a killed process leaves it. */
const failing = (call: 'put' | 'get', { isDone = false } = {}): Storage => ({
  ...storage,
  [call]: async (...args: [never, never]) => {
    if (isDone) await storage[call](...args)
    throw new Error('killed')
  },
})

describe('the archive of the audit', () => {
  it('has the batches that are old enough, sealed, and is verified with those in the database', async () => {
    await archive()
    assert.deepEqual(await rows(), [
      { archive_id: FIRST, first: 1, last: 2, done: true },
      { archive_id: SECOND, first: 3, last: 4, done: true },
    ])
    assert.deepEqual(await verify(), { archived: 4, wrong: [] })
    const { batches, entries, wrong } = await verifyAudit(context)
    assert.deepEqual({ batches, entries, wrong }, { batches: 5, entries: 15, wrong: [] }, 'nothing left the database')
    const bytes = await readFile(fileOf(1), 'latin1')
    assert.match(bytes, /^BANYAN AUDIT 1 m2\.[\w-]+\n/)
    assert(!bytes.includes(platform.id), 'nothing of an entry is readable')
  })

  it('has batches of before credentials were covered as they were, and those after them', async () => {
    await t.sql('truncate audit_entries, audit_batches')
    await t.sql(`insert into processes (process_id, role, version) values ('prc_older', 'worker', '0.2.0')`)
    await sealThree()
    await t.sql(`delete from processes where process_id = 'prc_older'`)
    await sealThree()
    await age(2)
    await archive()
    assert.deepEqual(await verify(), { archived: 2, wrong: [] })
    const found = await getArchive(context, FIRST)
    assert(found && 'archive' in found)
    const [first, second] = found.archive.batches
    assert.deepEqual(Object.keys(first ?? {}), [...BATCH_MEMBERS, 'lines'])
    assert.deepEqual(Object.keys(second ?? {}), [...BATCH_MEMBERS, 'version', 'lines'])
    const { entries, wrong } = (await showArchive(context, FIRST)) ?? assert.fail()
    assert.deepEqual(wrong, [])
    const named = entries.map((entry) => entry.credential_id)
    assert.deepEqual(named, [undefined, undefined, undefined, ...Array(3).fill(platform.credentialId)])
  })

  it('goes on where it ended, and waits for a whole day to be old enough', async () => {
    await archive()
    await sealThree()
    assert.equal(await archiveAudit(context, SETTINGS), false)
    await age(5)
    await archive()
    assert.deepEqual(await verify(), { archived: 5, wrong: [] })
    await t.sql(`update audit_batches set at = date_trunc('day', now(), 'UTC') where number = 6`)
    assert.equal(await archiveAudit(context, { days: 0 }), false, 'today is not over')
    await t.sql(`update audit_batches set at = at - interval '1 second' where number = 6`)
    while (await archiveAudit(context, { days: 0 }));
    assert.deepEqual(await verify(), { archived: 6, wrong: [] })
  })

  it('says for how long a batch has waited for it', async () => {
    assert(Math.abs((await findArchiveOverdue(t.db, 30)) - 2 * 86_400) < 600, 'the oldest is 32 days old')
    await archive()
    assert.equal(await findArchiveOverdue(t.db, 30), 0)
    await t.sql('truncate audit_batches')
    assert.equal(await findArchiveOverdue(t.db, 30), 0)
  })

  it('is written once by concurrent workers, file by file', async () => {
    await Promise.all([archive(), archive(), archive()])
    await archive()
    assert.deepEqual(await files(), ['000000000001.file', '000000000003.file'])
    assert.deepEqual(await verify(), { archived: 4, wrong: [] })
  })

  const killedAt =
    (name: string): Database['query'] =>
    async (text, values) => {
      if (text.name === name) throw new Error('killed')
      return t.db.query(text, values)
    }
  const ends: Record<string, { storage?: Storage; db?: Database; found: string[] }> = {
    'before a file is stored': { storage: failing('put'), found: [] },
    'after a file is stored': { storage: failing('put', { isDone: true }), found: ['000000000001.file'] },
    'before it is read back': { storage: failing('get'), found: [] },
    'before the database knows that it is stored': {
      db: { ...t.db, query: killedAt('audit_archives_finish') },
      found: ['000000000001.file'],
    },
  }
  for (const [name, { found, ...over }] of Object.entries(ends)) {
    it(`can be ended ${name}: everything stays readable, and the next run completes it`, async () => {
      await assert.rejects(archive(over), /killed/)
      assert.deepEqual(await files(), found)
      assert.deepEqual((await verify()).wrong, [], 'an unfinished file is not missed')
      await archive()
      assert.deepEqual(await verify(), { archived: 4, wrong: [] })
      assert.deepEqual(await files(), ['000000000001.file', '000000000003.file'])
    })
  }

  it('keeps entries as they are in the chain: changed ones are not archived', async () => {
    await t.sql(
      `update audit_entries set actor = 'viewer:nobody' where audit_id = (select min(audit_id) from audit_entries)`,
    )
    await assert.rejects(archive(), /batch 1 was changed/)
    assert.deepEqual(await files(), [])
  })

  it('can be opened after the master key was rotated, and by the old key if the database lost the row', async () => {
    await archive()
    const newer = { id: 'm9', key: Buffer.alloc(32, 9) }
    const both = createVault({ ...t.keys, masterKeys: [newer, ...t.keys.masterKeys] })
    assert.deepEqual(await rewrapDataKeys({ db: t.db, vault: both }, () => {}), { left: 0 })
    const alone = createVault({ ...t.keys, masterKeys: [newer] })
    assert.deepEqual(await verify({ vault: alone }), { archived: 4, wrong: [] })

    await t.sql('truncate audit_archives')
    assert.deepEqual(await verify(), { archived: 4, wrong: [] })
    assert.match((await verify({ vault: alone })).wrong.join(), /^audit\/000000000001: .* master key m2 in MASTER_KEYS/)
  })

  it('is adopted as it is when the database lost its rows', async () => {
    await archive()
    const before = await readFile(fileOf(1))
    await t.sql('truncate audit_archives')
    await archive()
    assert.deepEqual((await rows()).length, 2)
    assert.deepEqual(await readFile(fileOf(1)), before)
    assert.deepEqual(await verify(), { archived: 4, wrong: [] })
  })

  it('is never overwritten with other batches, as those after a restore', async () => {
    await archive()
    const before = await readFile(fileOf(3))
    await t.sql('delete from audit_archives where first_number = 3')
    await t.sql('delete from audit_batches where number > 2')
    await t.sql(`delete from audit_entries where xid > (select max(last_xid) from audit_batches)`)
    assert.deepEqual((await verify()).wrong, [`${SECOND}: the database lacks batches 3 to 4`])
    await sealThree()
    await age(3)
    await assert.rejects(archive(), /audit\/000000000003 and the database differ: batch 3 differs/)
    assert.deepEqual(await readFile(fileOf(3)), before)
    await rename(fileOf(3), join(t.storageFolder, 'restored-over.file'))
    await archive()
    assert.deepEqual(await verify(), { archived: 3, wrong: [] })
  })
})

describe('verification of the archive reveals', () => {
  beforeEach(() => archive())

  it('a file with another header, of which nothing reaches the terminal', async () => {
    const bytes = await readFile(fileOf(1))
    const rest = bytes.subarray(bytes.indexOf('\n'))
    for (const key of ['\u001b]0;owned\u0007.x', 'm1\u009b31m.x', 'm\u202e1.x']) {
      await writeFile(fileOf(1), Buffer.concat([Buffer.from(`BANYAN AUDIT 1 ${key}`), rest]))
      const shown = await showArchive(context, FIRST)
      assert.deepEqual([shown?.entries, shown?.wrong], [[], ['altered: it has no header']])
      await t.sql('truncate audit_archives')
      const words = (await verify()).wrong.join()
      assert.match(words, /audit\/000000000001: altered/)
      assert.doesNotMatch(words, /[\p{C}]|owned/u)
    }
  })

  it('a file that was changed, at any byte', async () => {
    const bytes = await readFile(fileOf(1))
    for (const at of [0, 20, 150, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      await writeFile(fileOf(1), changed)
      assert.match((await verify()).wrong.join(), /^audit\/000000000001: altered/, `byte ${at}`)
    }
    for (const length of [0, 10, bytes.length - 1]) {
      await writeFile(fileOf(1), bytes.subarray(0, length))
      assert.match((await verify()).wrong.join(), /^audit\/000000000001: altered/, `${length} bytes`)
    }
  })

  it('a file under the name of another', async () => {
    await writeFile(fileOf(3), await readFile(fileOf(1)))
    assert.deepEqual(await verify(), { archived: 2, wrong: [`${SECOND}: altered: it does not open`] })
  })

  it('a file that is missing, the others being verified', async () => {
    await rm(fileOf(1))
    assert.deepEqual(await verify(), { archived: 2, wrong: [`${FIRST}: missing in the document storage`] })
    await t.sql('delete from audit_archives where first_number = 1')
    assert.deepEqual(await verify(), { archived: 2, wrong: [`${FIRST}: missing in the document storage`] })
  })

  it('a database without its newest batches, and without what names their files', async () => {
    await t.sql('truncate audit_archives')
    await t.sql('delete from audit_batches where number > 3')
    assert.deepEqual((await verifyAudit(context)).wrong, [], 'what is left is whole by itself')
    assert.deepEqual((await verify()).wrong, [`${SECOND}: the database lacks batches 4 to 4`])
  })

  it('a database that was sealed again', async () => {
    await t.sql(`update audit_entries set actor = 'viewer:nobody'`)
    await t.sql('truncate audit_batches')
    await sealAudit(context)
    assert.match((await verify()).wrong.join(), /audit\/000000000001: batch 1 differs from the database's/)
  })

  it('nothing where the storage cannot be read: it ends with an error', async () => {
    const gone = `${t.storageFolder}-gone`
    await rename(t.storageFolder, gone)
    try {
      await assert.rejects(
        verify(),
        (error) => error instanceof StartError && /storage cannot be read/.test(error.message),
      )
    } finally {
      await rename(gone, t.storageFolder)
    }
  })
})
