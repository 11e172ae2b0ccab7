import type { Command } from 'commander'
import { type WalkProgress, type WalkResult, walkSealedRows } from '../access/sealed-rows.ts'
import { loadVaultConfig } from '../config.ts'
import { createVault } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { withDatabase } from '../boot/database.ts'
import { loadVaultKeys } from '../boot/keys.ts'
import { EXIT_FAILURE, print, report } from './terminal.ts'

const REPORT_MS = 1_000

/** Adds the `formats` commands; each can run alongside running servers. */
export function addFormatsCommand(program: Command): void {
  const formats = program.command('formats').description('check and renew the formats of sealed data')

  formats
    .command('reseal')
    .description(
      'bring sealed values of earlier versions into the present format; exit code 1 if some were locked or cannot be read',
    )
    .addHelpText('after', '\nSafe alongside running servers. If interrupted, it continues at the next run.')
    .addHelpText('after', 'Uses MIGRATION_DATABASE_URL, because the service may not change some of these tables.')
    .action(() => walk({ reseals: true }))

  formats
    .command('verify')
    .description('open every sealed value, and list those that cannot be read; exit code 1 if there are any')
    .action(() => walk({ reseals: false }))
}

async function walk({ reseals }: { reseals: boolean }): Promise<void> {
  const { SEALED_ROWS } = await import('../stored/formats.ts')
  const config = loadVaultConfig()
  const vault = createVault(await loadVaultKeys(config))
  const walkAll = async (db: Queryable) => {
    for (const rows of SEALED_ROWS) {
      if (reseals && rows.formats === 1) continue
      const result = await walkSealedRows({ db, vault }, rows, { reseals, onProgress: progressReport() })
      print(lineOf(result, reseals))
      for (const { column, row } of result.unreadable) print(`unreadable: ${column} ${row}`)
      if (result.unreadable.length > 0 || (reseals && result.left > 0)) process.exitCode = EXIT_FAILURE
    }
  }
  await withDatabase(config, walkAll, { asOwner: reseals })
}

function lineOf({ column, checked, resealed, left, unreadable }: WalkResult, reseals: boolean): string {
  const former = reseals ? `${resealed} resealed, ${left} locked` : `${left} in a former format`
  return `${column}  ${checked} rows, ${former}, ${unreadable.length} unreadable`
}

/** Reports the progress of a column once a second, with the rate and the time left. */
function progressReport(): (progress: WalkProgress) => void {
  const startedAt = performance.now()
  let reportedAt = startedAt
  return ({ column, rows, checked, resealed }) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_MS) return
    reportedAt = now
    const rate = checked / ((now - startedAt) / 1_000)
    const left_s = Math.ceil(Math.max(0, rows - checked) / rate)
    report(`${column}: ${checked} of ${rows} rows, ${resealed} resealed, ${Math.round(rate)} rows/s, ${left_s} s left`)
  }
}
