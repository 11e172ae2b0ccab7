import { type Command, InvalidArgumentError } from 'commander'
import { SANDBOX_PARTNERS } from '../settings/sandbox-partners.ts'
import { loadDevelopmentConfig } from '../settings/config.ts'
import { createProgress, type JsonOption, print, printJson, report, withJson } from './terminal.ts'
import { issueToken } from './token.ts'

/** Each is made by some twenty calls. */
const PEOPLE_MAX = 10_000

export function addDemoCommand(program: Command): void {
  withJson(
    program
      .command('demo')
      .description(
        'fill the demo platform of the running server with a family, its sponsor, policies, accounts, messages and a wallet',
      )
      .option('--people <count>', 'instead, create this many people for the dashboard', peopleIn),
  ).action(async ({ json = false, people }: JsonOption & { people?: number }) => {
    const config = loadDevelopmentConfig('The demo')
    const ownerToken = await issueToken(config, { role: 'owner', subject: 'demo' })
    const urls = { origin: config.origin, sandboxUrl: `http://localhost:${config.sandboxPort}` }
    const partners = { platformId: SANDBOX_PARTNERS.platform.id, providerId: SANDBOX_PARTNERS.provider.id }
    const { explainingErrors, loadDemo, textOf } = await import('../../sandbox/demo.ts')
    if (people !== undefined) {
      const { makePeople } = await import('../../sandbox/demo-people.ts')
      const settings = { ...urls, ownerToken, partners, count: people, onProgress: createProgress('people') }
      const { userIds } = await explainingErrors(urls.origin, () => makePeople(settings))
      if (json) printJson({ user_ids: userIds })
      else print(`${userIds.length} people. Look at them at ${config.origin}/dashboard.`)
      return
    }
    const made = await loadDemo({ ...urls, ownerToken, partners, report: json ? report : print })
    if (json) printJson(made)
    else print(textOf(made))
  })
}

function peopleIn(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= PEOPLE_MAX) return count
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${PEOPLE_MAX}.`)
}
