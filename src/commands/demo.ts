import type { Command } from 'commander'
import { loadDemo } from '../../sandbox/demo.ts'
import { loadDevelopmentConfig } from '../config.ts'
import { print } from './terminal.ts'
import { issueToken } from './token.ts'

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'fill a new platform of the running server with a family, its sponsor, policies, accounts and messages',
    )
    .action(async () => {
      const config = loadDevelopmentConfig('The demo')
      const administratorToken = await issueToken(config, { role: 'owner', subject: 'demo' })
      await loadDemo({ baseUrl: `${config.origin}/v1`, administratorToken, print })
    })
}
