import { type Command, Option } from 'commander'
import { loadDatabaseConfig } from '../settings/config.ts'
import type { CopiedCount } from '../kernel/cluster/copy-tables.ts'
import { StartError } from '../kernel/start-error.ts'
import { createProgress, type JsonOption, print, printJson, report, withJson } from './terminal.ts'

export function addDistributeCommand(program: Command): void {
  withJson(
    program
      .command('distribute')
      .description('copy the database, while nothing else uses it, to a Citus cluster that `migrate` has prepared')
      .addOption(
        new Option('--to <url>', 'address of the empty database on the coordinator, with the role that migrates')
          .env('CLUSTER_DATABASE_URL')
          .makeOptionMandatory(),
      )
      .addHelpText(
        'after',
        `
The database at DATABASE_URL is only read. If the copy is stopped, the next call continues it. Every table is compared at the
end; only then does the program start on the cluster. docs/scaling.md describes the steps around it.
Exit codes: 0 everything is on the cluster, 1 rejected or not finished, with the reason, 2 wrong options.`,
      ),
  ).action(async ({ to, json }: JsonOption & { to: string }) => {
    const counts = await distribute(to)
    if (json) return printJson({ tables: counts })
    for (const { table, rows } of counts) print(`${table} ${rows}`)
    print(
      'Everything is on the cluster. Set DATABASE_URL to it, and never start the program on the old database again.',
    )
  })
}

async function distribute(to: string): Promise<CopiedCount[]> {
  const [{ findCluster }, { checkVersion }, { STORED_TABLES }, { copyTables }, { connectTo, stopWrites }, database] =
    await Promise.all([
      import('../kernel/cluster/cluster.ts'),
      import('../kernel/db/migrate.ts'),
      import('../data-map/tables.ts'),
      import('../kernel/cluster/copy-tables.ts'),
      import('../kernel/cluster/stop-writes.ts'),
      import('../boot/database.ts'),
    ])
  await using closers = new AsyncDisposableStack()
  const { ownerUrl, appRole } = await database.prepareDatabaseUrls(loadDatabaseConfig(), { closers, connects: [] })
  const source = await connectTo(ownerUrl, { called: 'DATABASE_URL', closers })
  if (await findCluster(source)) throw new StartError('DATABASE_URL is already a Citus cluster.')
  await checkVersion(source, 'DATABASE_URL')
  await stopWrites(source, { appRole, placements: STORED_TABLES.placements })
  const target = await connectTo(to, { called: '--to', closers })
  if (!(await findCluster(target))) {
    throw new StartError('--to is not a Citus cluster: its database does not have the extension citus.')
  }
  await checkVersion(target, '--to')
  return await copyTables({ source, target, tables: STORED_TABLES, report, onProgress: createProgress('rows') })
}
