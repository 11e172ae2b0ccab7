import type { Command } from 'commander'
import { loadDatabaseConfig } from '../settings/config.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addLedgerCommand(program: Command): void {
  withJson(
    program
      .command('ledger')
      .description('commands for the wallet ledger')
      .command('verify')
      .description('recompute every balance from its entries; exits with 1 if one is wrong'),
  ).action(async ({ json }: JsonOption) => {
    const { verifyLedger } = await import('../domains/money/ledger/index.ts')
    const { wallets, transactions, wrong } = await withDatabase(loadDatabaseConfig(), (db) =>
      verifyLedger(db, createProgress('wallets')),
    )
    if (json) printJson({ wallets, transactions, wrong: wrong.map((userId) => `user:${userId}`) })
    else for (const userId of wrong) print(`wrong: user:${userId}`)
    if (!json) print(`${wallets} wallets, ${transactions} transactions, ${wrong.length} wrong`)
    if (wrong.length > 0) process.exitCode = EXIT_FAILURE
  })
}
