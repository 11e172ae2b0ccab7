import { type Command, InvalidArgumentError } from 'commander'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { AuditHead, AuditHeads } from '../access/audit-heads.ts'
import {
  type AuditConfig,
  loadDatabaseConfig,
  loadStorage,
  loadTokenConfig,
  loadVaultConfig,
} from '../settings/config.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { safeMessage } from '../kernel/safe-message.ts'
import { UsageError } from '../kernel/start-error.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, report, withJson } from './terminal.ts'

export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('commands for the audit')

  withJson(
    audit
      .command('head')
      .description(
        'print the newest sealed head, <number>:<hash>, and its signature, to keep elsewhere; exits with 1 if there is none',
      ),
  ).action(async ({ json }: JsonOption) => {
    const { findNewest, headText } = await import('../record/seal-audit.ts')
    const newest = await withDatabase(loadDatabaseConfig(), findNewest)
    if (newest && json) return printJson({ head: headText(newest), signature: newest.signature })
    if (newest) return print(`${headText(newest)} ${newest.signature}`)
    report('Nothing is sealed yet.')
    process.exitCode = EXIT_FAILURE
  })

  withJson(
    audit
      .command('verify')
      .description(
        'verify that the sealed entries are unchanged, also those in the archive; exits with 1 if not, 2 for a wrong option',
      )
      .option(
        '--head <number:hash>',
        'a head kept elsewhere, from the log or `audit head`: also detects a truncated end',
        headFrom,
      ),
  ).action(async ({ head, json }: JsonOption & { head?: AuditHead }) => {
    const [{ createAuditHeads }, { headText, verifyAudit }] = await Promise.all([
      import('../access/audit-heads.ts'),
      import('../record/seal-audit.ts'),
    ])
    const config = loadTokenConfig()
    const auditHeads = createAuditHeads({ keys: config.keys.signingKeys })
    const onProgress = createProgress('batches')
    const verification = await withDatabase(config, async (db) => {
      const context = { db, auditHeads }
      const verifyArchive = await prepareArchiveCheck(context, config)
      const chain = await verifyAudit(context, { head, onProgress })
      const { archived, wrong } = await verifyArchive()
      return { ...chain, archived, wrong: [...chain.wrong, ...wrong] }
    })
    const end = verification.head ? `, head ${headText(verification.head)}` : ''
    if (json) printJson({ ...verification, head: verification.head ? headText(verification.head) : null })
    else for (const words of verification.wrong) print(`wrong: ${words}`)
    const archived = verification.archived > 0 ? `, ${verification.archived} archived` : ''
    if (!json)
      print(
        `${verification.batches} batches${archived}, ${verification.entries} entries, ${verification.wrong.length} wrong${end}`,
      )
    if (verification.wrong.length > 0) process.exitCode = EXIT_FAILURE
  })

  audit
    .command('show')
    .description(
      'print the entries of an archive, a JSON object a line; exits with 1 if it is missing, altered or signed by an unknown key',
    )
    .argument('<archive>', 'its name in the document storage, such as audit/000000000001', archiveFrom)
    .option('--file <path>', 'a copy of the file, where it was moved away')
    .action(async (archive: string, { file }: { file?: string }) => {
      const [{ createAuditHeads }, { showArchive }] = await Promise.all([
        import('../access/audit-heads.ts'),
        import('../record/archive-audit.ts'),
      ])
      const auditHeads = createAuditHeads({ keys: loadTokenConfig().keys.signingKeys })
      const { vault, storage } = await prepareArchives(file)
      const archiveContent = await showArchive({ auditHeads, vault, storage }, archive)
      for (const entry of archiveContent?.entries ?? []) print(JSON.stringify(entry))
      for (const words of archiveContent?.wrong ?? ['missing in the document storage']) report(`${archive}: ${words}`)
      if (archiveContent?.wrong.length !== 0) process.exitCode = EXIT_FAILURE
    })
}

type Context = { db: Queryable; auditHeads: AuditHeads }
type ArchiveCheck = () => Promise<{ archived: number; wrong: string[] }>

/**
 * Opens the archives wherever the storage is set, whatever the database says: who can delete their rows must not be able to
 * switch this off.
 */
async function prepareArchiveCheck(context: Context, { isStorageSet }: AuditConfig): Promise<ArchiveCheck> {
  const { findNewestArchive } = await import('../record/audit-archives-store.ts')
  if (!isStorageSet && !(await findNewestArchive(context.db))) return async () => ({ archived: 0, wrong: [] })
  const { verifyArchives } = await import('../record/archive-audit.ts')
  const archives = await prepareArchives()
  return () => verifyArchives({ ...context, ...archives }, createProgress('archived batches'))
}

/** Opens the document storage with its keys; with a path, that file stands in for every file of it. */
async function prepareArchives(path?: string) {
  const [{ createVault }, { loadVaultKeys }, { createStorage }] = await Promise.all([
    import('../kernel/crypto/vault.ts'),
    import('../boot/keys.ts'),
    import('../kernel/storage/create-storage.ts'),
  ])
  const vault = createVault(await loadVaultKeys(loadVaultConfig()))
  const storage = path === undefined ? await createStorage(loadStorage()) : { get: () => streamFile(path) }
  return { vault, storage }
}

async function streamFile(path: string): Promise<Readable> {
  try {
    return Readable.from([await readFile(path)])
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${safeMessage(error as Error)}`)
  }
}

function archiveFrom(text: string): string {
  if (!/^audit\/\d{12}$/.test(text)) throw new InvalidArgumentError('It must be audit/ and twelve digits.')
  return text
}

function headFrom(text: string): AuditHead {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === undefined) throw new InvalidArgumentError('It must be <number>:<64 hexadecimal digits>.')
  return { number: Number(number), hash }
}
