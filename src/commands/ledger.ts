import type { Command } from 'commander'
import { loadDatabaseConfig } from '../settings/config.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addLedgerCommand(program: Command): void {
  withJson(
    program
      .command('ledger')
      .description('commands for the ledger of wallets, and deposits')
      .command('verify')
      .description('recompute every balance of wallets and deposits from its entries; exits with 1 if one is wrong'),
  ).action(async ({ json }: JsonOption) => {
    const [{ verifyLedger }, { verifyDeposits }] = await Promise.all([
      import('../domains/money/ledger/index.ts'),
      import('../domains/cover/deposits/index.ts'),
    ])
    const { ledger, deposited } = await withDatabase(loadDatabaseConfig(), async (db) => ({
      ledger: await verifyLedger(db, createProgress('wallets')),
      deposited: await verifyDeposits(db),
    }))
    const { wallets, transactions } = ledger
    const { deposits } = deposited
    const wrong = [
      ...ledger.wrong.map((userId) => `user:${userId}`),
      ...deposited.wrong.map(({ sponsorId, benefitProviderId }) => `deposit:${sponsorId}:${benefitProviderId}`),
    ]
    if (json) printJson({ wallets, transactions, deposits, wrong })
    else {
      for (const name of wrong) print(`wrong: ${name}`)
      const found = [
        `${wallets} wallets`,
        `${transactions} transactions`,
        ...(deposits > 0 ? [`${deposits} deposits`] : []),
      ]
      print(`${found.join(', ')}, ${wrong.length} wrong`)
    }
    if (wrong.length > 0) process.exitCode = EXIT_FAILURE
  })
}
