import type { Command } from 'commander'
import { loadDemo, textOf } from '../../sandbox/demo.ts'
import { loadDevelopmentConfig } from '../config.ts'
import { print, report } from './terminal.ts'
import { issueToken } from './token.ts'

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'fill the demo platform of the running server with a family, its sponsor, policies, accounts, messages and a wallet',
    )
    .option('--json', 'print everything that was made as one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const config = loadDevelopmentConfig('The demo')
      const ownerToken = await issueToken(config, { role: 'owner', subject: 'demo' })
      const urls = { origin: config.origin, sandboxUrl: `http://localhost:${config.sandboxPort}` }
      const made = await loadDemo({ ...urls, ownerToken, report: json ? report : print })
      print(json ? JSON.stringify(made, null, 2) : textOf(made))
    })
}
