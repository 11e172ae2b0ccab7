import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { makeKeyTexts } from '../../../src/settings/keys.ts'
import { eventually, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

const workspace = await newWorkspaceWithDatabase()
after(workspace.remove)
const { environment } = workspace
const file = join(workspace.dataDir, 'documents', 'audit', '000000000001.file')

const verify = (...args: string[]) => runCommand(['audit', 'verify', ...args], environment)
const show = (...args: string[]) => runCommand(['audit', 'show', ...args], environment)
const FIRST = 'audit/000000000001'
const archived = async () =>
  (await workspace.sql('select 1 from audit_archives where archived_at is not null')).length === 1

it('`audit verify` reads what a worker has archived, and fails when a file is changed or missing', async () => {
  assert.equal((await runCommand(['token', '--role', 'owner'], environment)).code, 0)
  const metrics = async () => (await fetch(workspace.metricsUrl)).text()
  const first = await startServer(workspace, {}, 'start')
  try {
    await eventually(
      async () => (await workspace.sql('select 1 from audit_batches')).length,
      (count) => count > 0,
    )
    assert(!/^audit_archive_overdue_seconds /m.test(await metrics()), 'not unless the audit is archived')
  } finally {
    await first.stop()
  }
  await workspace.sql(`update audit_batches set at = now() - interval '9 days'`)
  assert.match((await verify()).stdout, /^\d+ batches, \d+ entries, 0 wrong, head \d+:[0-9a-f]{64}\n$/)

  const second = await startServer(workspace, { AUDIT_ARCHIVE_DAYS: '7' }, 'start')
  try {
    await eventually(archived, Boolean)
    assert.match(await metrics(), /^audit_archive_overdue_seconds 0$/m)
  } finally {
    await second.stop()
  }
  assert.match(
    (await verify()).stdout,
    /^\d+ batches, [1-9]\d* archived, \d+ entries, 0 wrong, head \d+:[0-9a-f]{64}\n$/,
  )
  const { code, stdout } = await verify('--json')
  const { archived: batches, wrong } = JSON.parse(stdout) as { archived: number; wrong: string[] }
  assert.deepEqual([code, batches > 0, wrong], [0, true, []])

  const shown = await show(FIRST)
  assert.deepEqual([shown.code, shown.stderr], [0, ''])
  const entries = shown.stdout.trim().split('\n')
  const { actor, operation, action } = JSON.parse(entries[0] ?? '') as Record<string, string>
  assert(actor && operation && action, entries[0])
  const [{ count } = { count: 0 }] = await workspace.sql<{ count: number }>(
    'select sum(entry_count)::int as count from audit_batches join audit_archives on number between first_number and last_number',
  )
  assert.equal(entries.length, count)

  const bytes = await readFile(file)
  const copy = join(workspace.dataDir, 'copy')
  await writeFile(copy, bytes)
  assert.equal((await show(FIRST, '--file', copy)).stdout, shown.stdout)
  const { SIGNING_KEYS } = makeKeyTexts(workspace.folder)
  const unverified = await runCommand(['audit', 'show', FIRST], { ...environment, SIGNING_KEYS })
  assert.deepEqual([unverified.code, unverified.stdout], [1, shown.stdout], 'entries, but nobody vouches for them')
  assert.match(unverified.stderr, /: not verified: the key that signed its last batch is not in SIGNING_KEYS\n$/)
  const other = await show('audit/000000000002', '--file', copy)
  assert.deepEqual([other.code, other.stdout], [1, ''], 'a file has one name')
  assert.equal((await show(FIRST, '--file', `${copy}-away`)).code, 2)
  assert.equal((await show('audit/1')).code, 2)

  await writeFile(file, bytes.subarray(1))
  const altered = await verify()
  assert.equal(altered.code, 1)
  assert.match(
    altered.stdout,
    /^wrong: audit\/000000000001: altered: it has no header\n\d+ batches, \d+ entries, 1 wrong/,
  )

  await writeFile(file, Buffer.alloc(12 * 1024 * 1024))
  assert.match((await verify()).stdout, /^wrong: audit\/000000000001: altered: it is larger than an archive can be\n/)

  await rm(file)
  const missing = await verify('--json')
  assert.equal(missing.code, 1)
  assert.deepEqual((JSON.parse(missing.stdout) as { wrong: string[] }).wrong, [
    'audit/000000000001: missing in the document storage',
  ])

  const elsewhere = { ...environment, MASTER_KEYS: `m7:${Buffer.alloc(32, 7).toString('base64')}` }
  await writeFile(file, bytes)
  const locked = await runCommand(['audit', 'verify'], elsewhere)
  assert.match(locked.stdout, /^wrong: .* is the master key m1 in MASTER_KEYS\?$/m)
  assert.equal(locked.code, 1)

  // Who owns the database can delete what it knows of archives, and the newest batches with it.
  await workspace.sql('truncate audit_archives, audit_batches, audit_entries')
  const storage = { ...environment, DOCUMENT_STORAGE: 'folder' }
  const cut = await runCommand(['audit', 'verify'], storage)
  assert.equal(cut.code, 1, cut.stdout)
  assert.match(cut.stdout, /^wrong: audit\/000000000001: the database lacks batches 1 to \d+$/m)
})
