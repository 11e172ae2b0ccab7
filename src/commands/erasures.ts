import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { ErasureSettings } from '../access/erasure-settings.ts'
import { type DatabaseConfig, loadDatabaseConfig, loadErasureConfig } from '../config.ts'
import { applyErasures, type ForgettingContext, listErasures, parseTombstones } from '../domains/personal-data/index.ts'
import { erasing } from '../erase.ts'
import { systemClock } from '../kernel/clock.ts'
import { withDatabase } from '../open-database.ts'
import { print, reportProgress } from './terminal.ts'

/** Adds `erasures list` and `erasures apply`. */
export function addErasuresCommand(program: Command): void {
  const erasures = program
    .command('erasures')
    .description('tombstones: who was erased, for databases that are restored')

  erasures
    .command('list')
    .description(
      'print who was erased, a line of JSON each without anything of the person; keep it apart from the backups',
    )
    .action(async () => {
      await withDatabase(loadDatabaseConfig(), (db) => listErasures({ db }, (one) => print(JSON.stringify(one))))
    })

  erasures
    .command('apply')
    .description('after a restore and before the service starts: erase again whoever was erased since the backup')
    .argument('[file]', 'what `erasures list` printed; without it standard input')
    .addHelpText(
      'after',
      '\nRun again it changes nothing; after a crash it goes on.\nExit codes: 0 all are erased, 1 not all, 2 the list is not one, and nothing was erased.',
    )
    .action((file: string | undefined) => applyErasuresFrom(file))
}

async function applyErasuresFrom(file: string | undefined): Promise<void> {
  const tombstones = parseTombstones(file === undefined ? await text(process.stdin) : await readFile(file, 'utf8'))
  const config = loadErasureConfig()
  const onProgress = reportProgress((done) => `${done} of ${tombstones.length} so far`)
  const report = await withErasing(config, (context) => applyErasures(context, tombstones, onProgress))
  for (const userId of report.withMoney) print(`held money in this database: user:${userId}`)
  print(`${report.erased} erased, ${report.before} erased before, ${report.unknown} not in this database`)
}

/** Runs something that erases users, against the database alone: nothing is decrypted. */
const withErasing = <T>(
  config: DatabaseConfig & { erasure: ErasureSettings },
  work: (context: ForgettingContext) => Promise<T>,
): Promise<T> => {
  const time = { clock: systemClock, calendar: systemClock }
  return withDatabase(config, (db) => work({ db, erasure: config.erasure, ...time, ...erasing(time) }))
}
