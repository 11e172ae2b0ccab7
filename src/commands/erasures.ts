import { stat, readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { loadDatabaseConfig, loadErasureConfig, loadListSettings, loadVaultConfig } from '../settings/config.ts'
import { utcDay, systemClock } from '../kernel/clock.ts'
import type { Vault, VaultKeys } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { StartError, UsageError } from '../kernel/start-error.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, report, withJson } from './terminal.ts'

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
        '\nIdempotent; after a crash, run it again.\nExit codes: 0 all are erased, 1 not all, 2 the list is malformed, or the keys are not those of this database, and nothing was erased.',
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
          notHeld: undefined,
          not_held: report?.erasures.notHeld,
          ...report?.shut,
        })
      if (report) printReport(report)
      if (isOpened) print('The restored database may be used again.')
    },
  )

  addHoldCommands(erasures)
}

/** The commands of the hold by rule 8(3). */
function addHoldCommands(erasures: Command): void {
  erasures
    .command('held')
    .description(
      'print what is held of an erased user, encrypted, one line of JSON each: for the holder of the private key to ERASURE_HOLD_KEY',
    )
    .argument('<user>', 'the id of the user')
    .addHelpText('after', '\nNeeds no key and opens nothing.\nExit codes: 0 printed, 1 nothing is held of this user.')
    .action(printHeld)

  erasures
    .command('open')
    .description('open what `erasures held` has printed, by the private key; needs neither a database nor settings')
    .argument('[file]', 'the output of `erasures held`; default: standard input')
    .requiredOption('--key <file>', 'the private key, as PEM without a passphrase')
    .addHelpText(
      'after',
      '\nRun it on the machine of who holds the private key, which belongs on no server of the service. It prints personal data, one line of JSON each.\nExit codes: 0 all was opened, 1 some could not be read, 2 the key or the file is not the right one.',
    )
    .action(printOpened)
}

async function printHeld(userId: string): Promise<void> {
  const [{ listHeld }, { SEALED_ROWS: columns }] = await Promise.all([
    import('../domains/privacy/personal-data/index.ts'),
    import('../data-map/formats.ts'),
  ])
  const isHeld = await withDatabase(loadDatabaseConfig(), (db) =>
    listHeld(db, { columns, userId }, (line) => print(JSON.stringify(line))),
  )
  if (isHeld) return
  report(`Nothing is held of ${userId}.`)
  process.exitCode = EXIT_FAILURE
}

async function printOpened(file: string | undefined, { key }: { key: string }): Promise<void> {
  const [{ unsealHeld }, { SEALED_ROWS }] = await Promise.all([
    import('../domains/privacy/personal-data/index.ts'),
    import('../data-map/formats.ts'),
  ])
  const [pem, list] = await Promise.all([
    readFile(key, 'utf8'),
    file === undefined ? text(process.stdin) : readFile(file, 'utf8'),
  ])
  const { person, values } = unsealHeld(SEALED_ROWS, { pem, list })
  for (const line of [person, ...values]) print(JSON.stringify(line))
  if (values.some(({ unreadable }) => unreadable)) process.exitCode = EXIT_FAILURE
}

type Report = Awaited<ReturnType<typeof applyList>>

function printReport({ erasures, shut }: Report): void {
  for (const userId of erasures.withMoney) print(`held money in this database: user:${userId}`)
  for (const userId of erasures.notHeld) print(`not held, because no key opens the data: user:${userId}`)
  print(`${erasures.erased} erased, ${erasures.before} erased before, ${erasures.unknown} not in this database`)
  if (shut === undefined) return
  const { credentials, sessions, users, platforms, phones, administrators, consents } = shut
  print(
    `${credentials.length} credentials revoked, ${sessions.length} sessions ended, all of ${users.length} users, ${phones.length} former phones taken away, ${platforms.length} platforms disabled or enabled, ${administrators.length} administrators disabled, ${consents.length} consents withdrawn`,
  )
}

/** The keys of an installation, where an erasure of the list is to be held again. */
async function loadKeys(isNeeded: boolean): Promise<VaultKeys | null> {
  if (!isNeeded) return null
  const { loadVaultKeys } = await import('../boot/keys.ts')
  return loadVaultKeys(loadVaultConfig())
}

/** Returns what opens data keys. Throws `UsageError` with the keys of another database: nobody could be held, and all would be erased for good. */
async function prepareVault(db: Queryable, keys: VaultKeys | null): Promise<Pick<Vault, 'unwrap'> | null> {
  if (keys === null) return null
  const [{ createVault }, { compareKeys }] = await Promise.all([
    import('../kernel/crypto/vault.ts'),
    import('../access/key-fingerprints.ts'),
  ])
  await compareKeys(db, keys).catch((error: unknown) => {
    throw error instanceof StartError ? new UsageError(`${error.message}\nNothing was erased.`) : error
  })
  return createVault(keys)
}

async function applyList(list: string | undefined) {
  const [{ applyErasures, applyRevocations, parseRestoreList, stillHeld }, { erasureDeps }, { checkClock }] =
    await Promise.all([
      import('../domains/privacy/personal-data/index.ts'),
      import('../data-map/erase.ts'),
      import('../kernel/db/database-clock.ts'),
    ])
  const { tombstones, revocations } = parseRestoreList(await readList(list))
  if (tombstones.length + revocations.length === 0)
    throw new UsageError('The list is empty. Pass --nothing-since where nothing was shut since.')
  const config = loadErasureConfig()
  const isHeld = tombstones.some((tombstone) => stillHeld(tombstone, systemClock) !== null)
  if (isHeld && config.erasure.holdKey === null)
    throw new UsageError('The list has erasures that are held. Set ERASURE_HOLD_KEY; nothing was erased.')
  const keys = await loadKeys(isHeld)
  const progress = createProgress('users')
  const onProgress = (done: number) => progress(done, tombstones.length)
  const time = { clock: systemClock, calendar: systemClock }
  return withDatabase(config, async (db) => {
    await checkClock(db, systemClock) // what has outlived its retention is deleted, too
    // With access to the database only, unless an erasure is held again: else nothing is decrypted.
    const vault = await prepareVault(db, keys)
    const context = { db, vault, erasure: config.erasure, ...time, ...erasureDeps(time) }
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
  const found = await readRestoreList(createStorageBelow(settings), utcDay(systemClock.now()))
  if (found === undefined) throw new UsageError(`There is no list in ${list}.`)
  return found
}
