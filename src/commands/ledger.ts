import type { Command } from 'commander'
import { loadDatabaseConfig } from '../config.ts'
import { withDatabase } from '../boot/database.ts'
import { EXIT_FAILURE, print, report } from './terminal.ts'

export function addLedgerCommand(program: Command): void {
  program
    .command('ledger')
    .description('commands for the wallet ledger')
    .command('verify')
    .description('recompute every balance from its entries; exits with 1 if one is wrong')
    .action(async () => {
      const { verifyLedger } = await import('../domains/money/ledger/index.ts')
      const { wallets, transactions, wrong } = await withDatabase(loadDatabaseConfig(), (db) =>
        verifyLedger(db, (done) => report(`${done} wallets so far`)),
      )
      for (const userId of wrong) print(`wrong: user:${userId}`)
      print(`${wallets} wallets, ${transactions} transactions, ${wrong.length} wrong`)
      if (wrong.length > 0) process.exitCode = EXIT_FAILURE
    })
}
