import type { Command } from 'commander'
import { makePeople } from '../../sandbox/demo-people.ts'
import { loadDemo, textOf } from '../../sandbox/demo.ts'
import { SANDBOX_PARTNERS } from '../access/sandbox-partners.ts'
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
    .option('--people <count>', 'instead, fill the platform of the people of the sandbox with so many', Number)
    .action(async ({ json = false, people }: { json?: boolean; people?: number }) => {
      const config = loadDevelopmentConfig('The demo')
      const ownerToken = await issueToken(config, { role: 'owner', subject: 'demo' })
      const urls = { origin: config.origin, sandboxUrl: `http://localhost:${config.sandboxPort}` }
      const { platform, provider } = SANDBOX_PARTNERS
      const partners = { platformId: platform.id, providerId: provider.id }
      if (people !== undefined) {
        const { userIds } = await makePeople({ ...urls, ownerToken, partners, count: people, report })
        return print(`${userIds.length} people. Look at them at ${config.origin}/dashboard.`)
      }
      const made = await loadDemo({ ...urls, ownerToken, partners, report: json ? report : print })
      print(json ? JSON.stringify(made, null, 2) : textOf(made))
    })
}
