import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { STORED_TABLES } from '../../../src/data-map/tables.ts'
import { migrate, readContractMigrations, readMigrations } from '../../../src/kernel/db/migrate.ts'
import { isOlderVersion, RELEASE, VERSION_BEFORE } from '../../../src/kernel/program-version.ts'
import { cloneDatabase, type TestDatabase } from '../../support/database.ts'

const EXPANDS = '9001_adds_height.sql'
const CONTRACTS = 'contract/9002_drops_width.sql'
/** The last one that the version needs which reports nothing of itself. */
const LAST_OF_SILENT = '0031_first_versions_unindexed.sql'

let root: string
let folder: URL
let database: TestDatabase

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'banyan-migrations-'))
  folder = pathToFileURL(`${join(root, 'all')}/`)
  await cp(new URL('../../../migrations/', import.meta.url), folder, { recursive: true })
  await mkdir(new URL('contract/', folder), { recursive: true })
  await writeFile(new URL(EXPANDS, folder), 'alter table workers add column height int;')
  await writeFile(new URL(CONTRACTS, folder), `-- oldest program: ${RELEASE}\nalter table workers drop column width;`)
})
after(() => rm(root, { recursive: true }))

beforeEach(async () => {
  database = await cloneDatabase()
  await database.sql('alter table workers add column width int')
})
afterEach(() => database.close())

const columns = async () => {
  const rows = await database.sql<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'workers' and column_name in ('height', 'width')`,
  )
  return rows.map(({ name }) => name).toSorted()
}
const oldest = async () => (await database.sql<{ oldest: string }>('select oldest from program_versions'))[0]?.oldest
const runs = (id: string, version: string, seen = 'now()') =>
  database.sql(`insert into processes (process_id, role, version, seen_at) values ($1, 'api', $2, ${seen})`, [
    id,
    version,
  ])
const run = (more: { contract?: boolean; force?: boolean; from?: URL } = {}) => {
  const { from = folder, ...options } = more
  return migrate({
    ownerUrl: database.ownerUrl,
    appRole: null,
    tables: STORED_TABLES,
    onApplied: () => {},
    folder: from,
    ...options,
  })
}

describe('migrate', () => {
  it('only expands while the version before runs, and says what waits', async () => {
    await runs('prc_before', VERSION_BEFORE)
    assert.equal(await run(), 'plain PostgreSQL, 1 waiting for `migrate --contract`')
    assert.deepEqual(await columns(), ['height', 'width'])
    assert.equal(await oldest(), VERSION_BEFORE)
  })

  it('changes nothing and names the programs that run and are older than the version before', async () => {
    await runs('prc_ancient', '0.0.9')
    await runs('prc_before', VERSION_BEFORE)
    await assert.rejects(run(), ({ message }: Error) => {
      assert.match(
        message,
        new RegExp(`^Nothing was changed: .* afterwards it is for ${VERSION_BEFORE} and later only\\.$`, 'm'),
      )
      assert.match(message, /^ {2}api 0\.0\.9 \(prc_ancient, seen \d s ago\)$/m)
      assert.match(message, /Replace or stop them first; .* With --force they take no more work\.$/)
      return !message.includes('prc_before')
    })
    assert.deepEqual(await columns(), ['width'])
  })

  it('--contract changes nothing while the version before runs, and names it', async () => {
    await runs('prc_before', VERSION_BEFORE)
    await runs('prc_this', RELEASE)
    await assert.rejects(
      run({ contract: true }),
      ({ name, message }: Error) =>
        name === 'StartError' && message.includes(`api ${VERSION_BEFORE} (prc_before`) && !message.includes('prc_this'),
    )
    assert.deepEqual(await columns(), ['width'], 'not even the migrations that only add')
    assert.equal(await oldest(), VERSION_BEFORE)
  })

  it('--contract takes away what only older programs need once none runs, and allows none from then on', async () => {
    await runs('prc_killed', VERSION_BEFORE, `now() - interval '31 seconds'`)
    await runs('prc_this', RELEASE)
    assert.equal(await run({ contract: true }), 'plain PostgreSQL')
    assert.deepEqual(await columns(), ['height'])
    assert.equal(await oldest(), RELEASE)
    assert.equal(await run(), 'plain PostgreSQL', 'and it is applied once')
    assert.equal(await run({ contract: true }), 'plain PostgreSQL')
  })

  it('--contract --force lets older programs end their work before anything is taken away', async () => {
    await runs('prc_before', VERSION_BEFORE)
    const done = run({ contract: true, force: true })
    const seen: { oldest: string | undefined; columns: string[] }[] = []
    while ((await oldest()) !== RELEASE);
    seen.push({ oldest: await oldest(), columns: await columns() })
    await database.sql(`delete from processes where process_id = 'prc_before'`)
    await done
    assert.deepEqual(seen, [{ oldest: RELEASE, columns: ['height', 'width'] }])
    assert.deepEqual(await columns(), ['height'])
  })

  it('refuses alongside programs that report no version, which are of 0.1.0 or before', async () => {
    const silent = new pg.Client({ connectionString: database.appUrl, application_name: 'banyan' })
    await silent.connect()
    try {
      await assert.rejects(run(), /programs that do not report their version \(0\.1\.0 or before\), with 1 connections/)
      assert.deepEqual(await columns(), ['width'])
      await database.sql('delete from migrations where name = $1 or name = $2', [LAST_OF_SILENT, EXPANDS])
      await assert.rejects(run(), /programs that do not report their version \(before 0\.1\.0\), with 1 connections/)
    } finally {
      await silent.end()
    }
  })

  it('applies each migration once when processes start at once, also one that makes an index while others write', async () => {
    const indexing = pathToFileURL(`${join(root, 'indexing')}/`)
    await cp(folder, indexing, { recursive: true })
    const index = 'create index concurrently workers_by_height on workers (height);'
    const file = new URL('9003_workers_by_height.sql', indexing)
    await writeFile(file, index)
    await assert.rejects(run({ from: indexing }), /cannot run inside a transaction block/)
    await writeFile(file, `-- outside a transaction\n${index}`)
    await Promise.all([run({ from: indexing }), run({ from: indexing }), run({ from: indexing })])
    const rows = await database.sql<{ name: string }>(`select name from migrations where name like '9003%'`)
    assert.equal(rows.length, 1)
  })

  it('refuses on a database that a later version has contracted, and takes no right away', async () => {
    await database.sql(`update program_versions set oldest = '9.0.0'`)
    await assert.rejects(
      run({ contract: true, force: true }),
      /This program is .* upgraded for 9\.0\.0 and later\. Run a later version\./,
    )
    assert.deepEqual(await columns(), ['width'])
  })

  it('fails for a contract migration that does not say which programs it suits, or was changed', async () => {
    const wrong = pathToFileURL(`${join(root, 'wrong')}/`)
    await cp(folder, wrong, { recursive: true })
    await run({ contract: true, from: wrong })
    const statements = 'alter table workers drop column height;'
    await writeFile(new URL(CONTRACTS, wrong), `-- oldest program: ${RELEASE}\n${statements}`)
    await assert.rejects(run({ from: wrong }), /contract\/9002_drops_width\.sql was changed after it was applied/)
    await writeFile(new URL(CONTRACTS, wrong), statements)
    await assert.rejects(run({ from: wrong }), /begins with the oldest version/)
  })
})

describe('the contract migrations of this version', () => {
  it('suit this version, and have numbers of their own', () => {
    const found = readContractMigrations()
    assert.deepEqual(
      found.filter(({ oldest }) => isOlderVersion(RELEASE, oldest)).map(({ name }) => name),
      [],
    )
    const numbers = [...readMigrations(), ...found].map(({ name }) => /\d{4}/.exec(name)?.[0])
    assert.equal(new Set(numbers).size, numbers.length)
  })
})
