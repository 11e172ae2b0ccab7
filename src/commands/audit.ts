import { type Command, InvalidArgumentError } from 'commander'
import type { AuditHead } from '../access/audit-heads.ts'
import { loadDatabaseConfig, loadTokenConfig } from '../config.ts'
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
    const { findNewest, textOf } = await import('../record/seal-audit.ts')
    const newest = await withDatabase(loadDatabaseConfig(), findNewest)
    if (newest && json) return printJson({ head: textOf(newest), signature: newest.signature })
    if (newest) return print(`${textOf(newest)} ${newest.signature}`)
    report('Nothing is sealed yet.')
    process.exitCode = EXIT_FAILURE
  })

  withJson(
    audit
      .command('verify')
      .description('verify that the sealed entries are unchanged; exits with 1 if not, 2 for a wrong option')
      .option(
        '--head <number:hash>',
        'a head kept elsewhere, from the log or `audit head`: also detects a truncated end',
        headFrom,
      ),
  ).action(async ({ head, json }: JsonOption & { head?: AuditHead }) => {
    const [{ createAuditHeads }, { textOf, verifyAudit }] = await Promise.all([
      import('../access/audit-heads.ts'),
      import('../record/seal-audit.ts'),
    ])
    const config = loadTokenConfig()
    const auditHeads = createAuditHeads({ keys: config.keys.signingKeys })
    const onProgress = createProgress('batches')
    const found = await withDatabase(config, (db) => verifyAudit({ db, auditHeads }, { head, onProgress }))
    const end = found.head ? `, head ${textOf(found.head)}` : ''
    if (json) printJson({ ...found, head: found.head ? textOf(found.head) : null })
    else for (const words of found.wrong) print(`wrong: ${words}`)
    if (!json) print(`${found.batches} batches, ${found.entries} entries, ${found.wrong.length} wrong${end}`)
    if (found.wrong.length > 0) process.exitCode = EXIT_FAILURE
  })
}

function headFrom(text: string): AuditHead {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === undefined) throw new InvalidArgumentError('It must be <number>:<64 hexadecimal digits>.')
  return { number: Number(number), hash }
}
