import { stat, readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { loadDatabaseConfig, loadErasureConfig, loadListSettings } from '../settings/config.ts'
import { isoTime, systemClock } from '../kernel/clock.ts'
import { UsageError } from '../kernel/start-error.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addErasuresCommand(program: Command): void {
  const erasures = program
    .command('erasures')
    .description('list erased users; after a restore, erase them again and shut what was shut since the backup')

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
        'after a restore and before the service starts: erase the users again who were erased since the backup, revoke, end, disable and withdraw what was revoked, ended, disabled and withdrawn; programs start from then on',
      )
      .argument(
        '[list]',
        'the folder of RESTORE_LIST, s3://bucket/prefix, or a file, such as the output of `erasures list`; default: standard input',
      )
      .option(
        '--nothing-since',
        'nothing was erased, revoked, ended, disabled, withdrawn or moved since the backup: only let programs start',
      )
      .addHelpText(
        'after',
        '\nIdempotent; after a crash, run it again.\nExit codes: 0 all are erased, 1 not all, 2 the list is malformed and nothing was erased.',
      ),
  ).action(
    async (list: string | undefined, { json = false, nothingSince }: JsonOption & { nothingSince?: boolean }) => {
      if (nothingSince && list !== undefined) throw new UsageError('Pass a list, or --nothing-since, not both.')
      const report = nothingSince ? undefined : await applyList(list)
      const { takeMarkAway } = await import('../boot/database.ts')
      const isOpened = await takeMarkAway(loadDatabaseConfig())
      if (json)
        return printJson({
          ...report?.erasures,
          withMoney: undefined,
          with_money: report?.erasures.withMoney,
          ...report?.shut,
        })
      if (report) printReport(report)
      if (isOpened) print('The restored database may be used again.')
    },
  )
}

type Report = Awaited<ReturnType<typeof applyList>>

function printReport({ erasures, shut }: Report): void {
  for (const userId of erasures.withMoney) print(`held money in this database: user:${userId}`)
  print(`${erasures.erased} erased, ${erasures.before} erased before, ${erasures.unknown} not in this database`)
  if (shut === undefined) return
  const { credentials, sessions, users, platforms, phones, administrators, consents } = shut
  print(
    `${credentials.length} credentials revoked, ${sessions.length} sessions ended, all of ${users.length} users, ${phones.length} former phones taken away, ${platforms.length} platforms disabled or enabled, ${administrators.length} administrators disabled, ${consents.length} consents withdrawn`,
  )
}

async function applyList(list: string | undefined) {
  const [{ applyErasures, applyRevocations, parseRestoreList }, { erasureDeps }, { checkClock }] = await Promise.all([
    import('../domains/privacy/personal-data/index.ts'),
    import('../data-map/erase.ts'),
    import('../kernel/db/database-clock.ts'),
  ])
  const { tombstones, revocations } = parseRestoreList(await readList(list))
  if (tombstones.length + revocations.length === 0)
    throw new UsageError('The list is empty. Pass --nothing-since where nothing was shut since.')
  const config = loadErasureConfig()
  const progress = createProgress('users')
  const onProgress = (done: number) => progress(done, tombstones.length)
  const time = { clock: systemClock, calendar: systemClock }
  return withDatabase(config, async (db) => {
    await checkClock(db, systemClock) // what has outlived its retention is deleted, too
    // With access to the database only: nothing is decrypted.
    const context = { db, erasure: config.erasure, ...time, ...erasureDeps(time) }
    const erasures = await applyErasures(context, tombstones, onProgress)
    return { erasures, shut: revocations.length > 0 ? await applyRevocations(context, revocations) : undefined }
  })
}

/** Returns the text of a list, wherever it is. Throws `UsageError` where there is none. */
async function readList(list: string | undefined): Promise<string> {
  if (list === undefined) return text(process.stdin)
  if (!list.startsWith('s3:') && !(await stat(list)).isDirectory()) return readFile(list, 'utf8')
  const settings = loadListSettings(list)
  const [{ createStorageBelow }, { readRestoreList }] = await Promise.all([
    import('../kernel/storage/create-storage.ts'),
    import('../domains/privacy/personal-data/index.ts'),
  ])
  const found = await readRestoreList(createStorageBelow(settings), isoTime(systemClock.now()).slice(0, 10))
  if (found === undefined) throw new UsageError(`There is no list in ${list}.`)
  return found
}
