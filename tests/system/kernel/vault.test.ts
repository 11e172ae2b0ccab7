import assert from 'node:assert/strict'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, mock } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { smallPdf } from '../../support/small-pdf.ts'
import { uploadScenes } from '../../support/uploads.ts'
import { prepareSealedColumns, uniqueWord } from '../../kernel/sealed-columns.ts'

const t = await openTestApp({ own: true })
const { columns, person, rowsOf, put, keysBeside } = prepareSealedColumns(t)
const words = [uniqueWord(), uniqueWord(), uniqueWord()] as const

await person(words[0])
// From here on everyone has the same key: only the associated data distinguishes their values.
const shared = t.deps.vault.newDataKey()
t.deps.vault.newDataKey = () => shared
await person(words[1])
await person(words[2])

describe('the list of sealed columns', () => {
  it('has every column of the schema that is named as sealed', async () => {
    const named = await t.sql<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'banyan' and data_type = 'text' and column_name ~ 'sealed|secret|reason|data_key'
          and column_name !~ '_hash$' and column_name <> 'disabled_reason' -- a fixed word
          and table_name <> 'erasure_holds' -- copies, which no key of the program opens`,
    )
    assert.deepEqual(Object.keys(columns).toSorted(), named.map(({ name }) => name).toSorted())
  })

  it('has every column that holds sealed data, whatever its name', async () => {
    const others = await t.sql<{ table_name: string; column_name: string }>(
      `select table_name, column_name from information_schema.columns
        where table_schema = 'banyan' and data_type in ('text', 'jsonb', 'ARRAY')`,
    )
    const found: string[] = []
    for (const { table_name, column_name } of others) {
      // Base64 of at least an IV and a tag; hexadecimal digests do not match.
      const [row] = await t.sql(
        `select 1 from ${table_name}, regexp_matches(${column_name}::text, '[A-Za-z0-9_-]{38,}', 'g') as word
          where word[1] !~ '^[0-9a-f-]+$' limit 1`,
      )
      if (row) found.push(`${table_name}.${column_name}`)
    }
    assert.deepEqual(found.toSorted(), Object.keys(columns).toSorted())
  })
})

describe('a sealed value copied to another row', () => {
  const logged: string[] = []
  for (const log of [t.log, t.unreadableLog])
    mock.method(log, 'error', (...what: unknown[]) => void logged.push(JSON.stringify(what)))
  const assertLogNamesNobody = () => {
    for (const line of logged.splice(0)) for (const word of words) assert(!line.includes(word), line)
  }
  const isAskedFor = (name: string) =>
    !/^(audit_archives|imports|import_chunks|catalogue_status_changes|administrator_sessions|webhook_endpoints)\./.test(
      name,
    )

  /** A value of each column; every test restores what it has replaced. */
  const strangers = Promise.all(Object.keys(columns).map(rowsOf)).then((all) => all.flatMap((some) => some.slice(0, 1)))

  for (const [name, read] of Object.entries(columns)) {
    it(`500 without details, whichever row, column or table, of the same person or another: ${name}`, async () => {
      const rows = await rowsOf(name)
      const donors = new Set([...rows, ...(await strangers)].map(({ value }) => value))
      assert(rows.length >= 3 && donors.size >= 10, `${rows.length} rows, ${donors.size} values`)
      for (const { row, value } of rows) {
        assert(await read(row, value), 'the original is shown')
        assert.deepEqual(logged, [])
        for (const donor of donors) {
          if (donor === value) continue
          await put(name, row, donor)
          assert.equal(await read(row, donor), undefined, `${donor} in ${JSON.stringify(row)}`)
        }
        await put(name, row, value)
        if (isAskedFor(name)) assert(logged.length >= donors.size - 1, 'it is logged')
        assertLogNamesNobody()
      }
    })
  }

  it('500 or 404 when the row’s key is changed with it, in each of its parts', async () => {
    // No constraint may prevent it: an attacker who can copy rows can drop constraints. Credentials hold nothing sealed.
    await t.sql(`do $$ declare one record; begin
      for one in select conrelid::regclass as relation, conname from pg_constraint
                  where contype in ('f', 'u') and connamespace = 'banyan'::regnamespace
                    and conrelid <> 'credentials'::regclass loop
        execute format('alter table %s drop constraint %I', one.relation, one.conname);
      end loop;
      drop index insurance_policies_enrolment; end $$`)
    const copied: Record<string, number> = {}
    for (const [name, read] of Object.entries(columns)) {
      const rows = await rowsOf(name)
      const keys = rows.map(({ row }) => row)
      const [table = ''] = name.split('.')
      for (const { row, value } of rows) {
        for (const { column, key } of keysBeside(row, keys)) {
          await put(`${table}.${column}`, row, key[column] ?? '')
          assert.equal(await read(key, value), undefined, `${name} of ${JSON.stringify(row)} at ${JSON.stringify(key)}`)
          await put(`${table}.${column}`, key, row[column] ?? '')
          copied[name] = (copied[name] ?? 0) + 1
        }
        assertLogNamesNobody()
      }
    }
    const several = Object.keys(columns).filter(
      (name) =>
        !/^(users|sponsors|idempotency_keys|administrators|administrator_sessions|webhook_endpoints|audit_archives|imports)\./.test(
          name,
        ),
    )
    assert.deepEqual(Object.keys(copied), several)
  })
})

describe('a sealed file copied to another row', () => {
  it('500 without details, in place of another file of the same person or of somebody else', async () => {
    const { put: upload, get } = uploadScenes(t)
    const people = [await issueToFamily(t), await issueToFamily(t)]
    const kinds = ['policy_certificate', 'enrollment_form']
    const files: { id: string; read: () => ReturnType<typeof get> }[] = []
    for (const at of people) {
      for (const kind of kinds) {
        assert.equal((await upload(at, kind, smallPdf(`${words[0]} ${kind}`))).status, 200)
        const found = 'select file_id from policy_files where policy_id = $1 and document_type = $2'
        const [{ file_id: id } = { file_id: '' }] = await t.sql<{ file_id: string }>(found, [at.id, kind])
        files.push({ id, read: () => get(at, kind) })
      }
    }
    const pathOf = (id: string) => join(t.storageFolder, 'documents', `${id}.file`)
    for (const { id, read } of files) {
      const own = await readFile(pathOf(id))
      for (const donor of files) {
        if (donor.id === id) continue
        await copyFile(pathOf(donor.id), pathOf(id))
        const { status, body, text } = await read()
        assert.deepEqual([status, body?.code], [500, 'unreadable'], text)
        assert(!text.includes(words[0]))
        await writeFile(pathOf(id), own)
      }
      assert.equal((await read()).status, 200)
    }
  })
})
