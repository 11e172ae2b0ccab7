import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Administrator } from '../access/caller.ts'
import { type DatabaseConfig, loadTokenConfig, type TokenConfig } from '../settings/config.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { withDatabase } from './with-database.ts'
import { type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addTokenCommand(program: Command): void {
  withJson(
    program
      .command('token')
      .description('print an administrator token that is valid for 15 minutes; works alongside a running server')
      .addOption(
        new Option('--role <role>', 'role of the token').choices(['owner', 'operator', 'viewer']).makeOptionMandatory(),
      ),
  ).action(async ({ role, json }: JsonOption & { role: Administrator }) => {
    const token = await issueToken(loadTokenConfig(), { role, subject: 'command-line' })
    if (json) printJson({ role, access_token: token })
    else print(token)
  })
}

type Issuing = { role: Administrator; subject: string }

/** Issues an administrator token to a command, and audits it first. */
export async function issueToken(config: TokenConfig & DatabaseConfig, to: Issuing): Promise<string> {
  await auditToken(config, `${to.role}:${to.subject}`)
  const { mainTokens } = await import('../boot/keys.ts')
  return mainTokens(config, systemClock).issueToAdministrator(to).token
}

/** Audits a token issued on the command line. Before the first start, there is no data it could access. */
async function auditToken(config: DatabaseConfig, subject: string): Promise<void> {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'postgres'))) return
  const [{ checkClock }, { insertEntries, toEntryRow }] = await Promise.all([
    import('../kernel/db/database-clock.ts'),
    import('../record/audit.ts'),
  ])
  const author = {
    caller: { kind: 'system', job: 'command-line' } as const,
    requestId: newId('job'),
    at: systemClock.now(),
  }
  const entry = toEntryRow({ ...author, operation: 'token' }, { action: 'token', subject, userId: null })
  await withDatabase(config, async (db) => {
    await checkClock(db, systemClock) // the API accepts no token from the future
    await insertEntries(db, [entry])
  })
}
