import type { Command } from 'commander'
import type { WalkProgress, WalkResult } from '../access/sealed-rows.ts'
import { loadVaultConfig } from '../settings/config.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addFormatsCommand(program: Command): void {
  const formats = program.command('formats').description('check and renew the formats of sealed data')

  withJson(
    formats
      .command('reseal')
      .description(
        'bring sealed values into the present format, encrypted as SEALING says; exit code 1 if some were locked or cannot be read',
      )
      .addHelpText('after', '\nSafe alongside running servers. If interrupted, it continues at the next run.')
      .addHelpText('after', 'Uses MIGRATION_DATABASE_URL, because the service may not change some of these tables.'),
  ).action(({ json = false }: JsonOption) => walk({ reseals: true, json }))

  withJson(
    formats
      .command('verify')
      .description('open every sealed value, and list those that cannot be read; exit code 1 if there are any'),
  ).action(({ json = false }: JsonOption) => walk({ reseals: false, json }))
}

async function walk({ reseals, json }: { reseals: boolean; json: boolean }): Promise<void> {
  const [{ SEALED_ROWS }, { walkSealedRows }, { createVault }, { loadVaultKeys }] = await Promise.all([
    import('../data-map/formats.ts'),
    import('../access/sealed-rows.ts'),
    import('../kernel/crypto/vault.ts'),
    import('../boot/keys.ts'),
  ])
  const config = loadVaultConfig()
  const vault = createVault(await loadVaultKeys(config))
  const columns: WalkResult[] = []
  const progress = createProgress('rows')
  const onProgress = ({ checked, rows }: WalkProgress) => progress(checked, rows)
  const walkAll = async (db: Queryable) => {
    for (const rows of SEALED_ROWS) {
      const result = await walkSealedRows({ db, vault }, rows, { reseals, onProgress })
      columns.push(result)
      if (!json) printResult(result, reseals)
      if (result.unreadable.length > 0 || (reseals && result.left > 0)) process.exitCode = EXIT_FAILURE
    }
  }
  await withDatabase(config, walkAll, { asOwner: reseals })
  if (json) printJson({ columns })
}

function printResult(result: WalkResult, reseals: boolean): void {
  print(describeResult(result, reseals))
  for (const { column, row } of result.unreadable) print(`unreadable: ${column} ${row}`)
}

function describeResult({ column, checked, resealed, left, unreadable }: WalkResult, reseals: boolean): string {
  const former = reseals ? `${resealed} resealed, ${left} locked` : `${left} in a former format`
  return `${column}  ${checked} rows, ${former}, ${unreadable.length} unreadable`
}
