import type { Command } from 'commander'
import { loadDevelopmentConfig } from '../config.ts'
import { type JsonOption, print, printJson, report, withJson } from './terminal.ts'
import { issueToken } from './token.ts'

export function addDemoCommand(program: Command): void {
  withJson(
    program
      .command('demo')
      .description(
        'fill a new platform of the running server with a family, its sponsor, policies, accounts, messages and a wallet',
      ),
  ).action(async ({ json = false }: JsonOption) => {
    const config = loadDevelopmentConfig('The demo')
    const { loadDemo, textOf } = await import('../../sandbox/demo.ts')
    const ownerToken = await issueToken(config, { role: 'owner', subject: 'demo' })
    const urls = { origin: config.origin, sandboxUrl: `http://localhost:${config.sandboxPort}` }
    const made = await loadDemo({ ...urls, ownerToken, report: json ? report : print })
    if (json) printJson(made)
    else print(textOf(made))
  })
}
