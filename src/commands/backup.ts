import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Summary } from '../boot/backup/read-backup.ts'
import { loadBackupConfig } from '../settings/config.ts'
import { createProgress, type JsonOption, print, printJson, withJson } from './terminal.ts'

const MIB = 1024 * 1024

/** Adds `backup` and `restore`, which are about the embedded database. */
export function addBackupCommands(program: Command): void {
  withJson(
    program
      .command('backup')
      .description('write the embedded database, its documents and keys into one encrypted file, and verify it')
      .argument('<file>', 'a new file')
      .addHelpText(
        'after',
        '\nSafe alongside a running program. The passphrase is in BACKUP_PASSPHRASE, or in the file BACKUP_PASSPHRASE_FILE.',
      ),
  ).action(async (file: string, { json = false }: JsonOption) => {
    const config = loadBackupConfig()
    const { createBackup } = await import('../boot/backup/create-backup.ts')
    const progress = createProgress('MiB')
    const summary = await createBackup(config, resolve(file), (done, all) => progress(done / MIB, all / MIB))
    const { size: bytes } = await stat(resolve(file))
    if (json) printJson({ file: resolve(file), bytes, ...summary })
    else print(`Written and verified: ${describe(summary)}, ${(bytes / MIB).toFixed(1)} MiB in ${file}.`)
  })

  withJson(
    program
      .command('restore')
      .description('restore a backup into an empty data folder; overwrites nothing')
      .argument('<file>', 'a file that `backup` has written')
      .addHelpText(
        'after',
        '\nThe program starts only once you have said what to shut again: `erasures apply <list>`, or `erasures apply --nothing-since`.',
      ),
  ).action(async (file: string, { json = false }: JsonOption) => {
    const config = loadBackupConfig()
    const { restoreBackup } = await import('../boot/backup/restore-backup.ts')
    const progress = createProgress('MiB')
    const summary = await restoreBackup(config, resolve(file), (done, all) => progress(done / MIB, all / MIB))
    if (json) printJson({ data_dir: config.dataDir, ...summary })
    else
      print(
        `Restored into ${config.dataDir}: ${describe(summary)}, as of ${summary.made_at}.\nBefore it starts: erasures apply <list>, or erasures apply --nothing-since.`,
      )
  })
}

const describe = ({ files }: Summary): string =>
  `${files.database} files of the database, ${files.documents} documents, ${files.keys} keys`
