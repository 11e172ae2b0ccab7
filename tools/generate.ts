import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { STORED_TABLES } from '../src/data-map/tables.ts'
import { startEmbedded } from '../src/kernel/embedded-postgres/embedded.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { clientFiles } from './client-generator/client-files.ts'
import { dashboardTables } from './dashboard-tables.ts'
import { databaseSchema } from './database-schema.ts'
import { jsonDocuments } from './json-documents.ts'
import { pythonFiles } from './python-generator/python-files.ts'
import { referencePages } from './reference/reference-pages.ts'

/**
 * Writes the generated files that are committed: the JSON documents, the code of the clients, the tables of the dashboard, the reference of the handbook and `schema.sql`.
 * A test generates them again and compares.
 */
const ROOT = new URL('../', import.meta.url)

const documents = await jsonDocuments()
const openApi = JSON.parse(documents['openapi.json'] ?? '') as object
const files = {
  ...documents,
  ...clientFiles(openApi),
  ...pythonFiles(openApi),
  ...dashboardTables(),
  ...(await referencePages(openApi)),
}
for (const [name, text] of Object.entries(files)) {
  await mkdir(dirname(new URL(name, ROOT).pathname), { recursive: true })
  await writeFile(new URL(name, ROOT), text)
}
await writeFile(new URL('schema.sql', ROOT), await freshSchema())

async function freshSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-generate-'))
  await chmod(folder, 0o755) // started by root, the database runs as another user
  const embedded = await startEmbedded({ dataDir: folder, serverSettings: { fsync: 'off' } })
  try {
    await migrate({ ...embedded, tables: STORED_TABLES, onApplied: () => {} })
    return await databaseSchema(embedded.ownerUrl)
  } finally {
    await embedded.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
