import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { loadDatabaseConfig, loadErasureConfig } from '../settings/config.ts'
import { systemClock } from '../kernel/clock.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addErasuresCommand(program: Command): void {
  const erasures = program.command('erasures').description('list erased users, and erase them again after a restore')

  erasures
    .command('list')
    .description(
      'print the erased users, one line of JSON each, without personal data; store it apart from the backups',
    )
    .action(async () => {
      const { listErasures } = await import('../domains/privacy/personal-data/index.ts')
      await withDatabase(loadDatabaseConfig(), (db) => listErasures({ db }, (one) => print(JSON.stringify(one))))
    })

  withJson(
    erasures
      .command('apply')
      .description(
        'after a restore and before the service starts: erase the users again who were erased since the backup',
      )
      .argument('[file]', 'the output of `erasures list`; default: standard input')
      .addHelpText(
        'after',
        '\nIdempotent; after a crash, run it again.\nExit codes: 0 all are erased, 1 not all, 2 the list is malformed and nothing was erased.',
      ),
  ).action((file: string | undefined, options: JsonOption) => applyErasuresFrom(file, options))
}

async function applyErasuresFrom(file: string | undefined, { json }: JsonOption): Promise<void> {
  const [{ applyErasures, parseTombstones }, { erasureDeps }, { checkClock }] = await Promise.all([
    import('../domains/privacy/personal-data/index.ts'),
    import('../data-map/erase.ts'),
    import('../kernel/db/database-clock.ts'),
  ])
  const tombstones = parseTombstones(file === undefined ? await text(process.stdin) : await readFile(file, 'utf8'))
  const config = loadErasureConfig()
  const progress = createProgress('users')
  const onProgress = (done: number) => progress(done, tombstones.length)
  const time = { clock: systemClock, calendar: systemClock }
  const report = await withDatabase(config, async (db) => {
    await checkClock(db, systemClock) // what has outlived its retention is deleted, too
    // With access to the database only: nothing is decrypted.
    const context = { db, erasure: config.erasure, ...time, ...erasureDeps(time) }
    return applyErasures(context, tombstones, onProgress)
  })
  if (json) return printJson({ ...report, withMoney: undefined, with_money: report.withMoney })
  for (const userId of report.withMoney) print(`held money in this database: user:${userId}`)
  print(`${report.erased} erased, ${report.before} erased before, ${report.unknown} not in this database`)
}
