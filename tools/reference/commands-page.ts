import { Command } from 'commander'
import { COMMANDS } from '../../src/commands/program.ts'
import { page, table } from './markdown.ts'

const INTRODUCTION = `Run \`npm run -s banyan -- <command>\`; \`npm start\` runs \`start\`. \`--help\` after a command prints the same. Commands that work alongside a
running server need its [settings](settings.md): a token issued for another \`PORT\` or \`PUBLIC_URL\` is rejected with 401.
[Install and upgrade](../operators/install.md) says which settings each needs in production, and what signals and exit codes mean.`

/** Returns the page of all commands, from the definitions that also print \`--help\`. */
export async function commandsPage(): Promise<string> {
  const program = new Command('banyan')
  for (const [, load] of COMMANDS) (await load())(program, async () => {})
  return page('Commands', INTRODUCTION, ...program.commands.flatMap((command) => sectionsOf(command, '')))
}

function sectionsOf(command: Command, before: string): string[] {
  if ((command as Command & { _hidden?: boolean })._hidden) return []
  const name = `${before}${command.name()}`
  if (command.commands.length > 0) return command.commands.flatMap((inner) => sectionsOf(inner, `${name} `))
  const options = command.options.filter(({ hidden }) => !hidden)
  const parts = [
    `## \`${name}\``,
    sentence(command.description()),
    `\`\`\`\nbanyan ${name}${command.usage() === '' ? '' : ` ${command.usage()}`}\n\`\`\``,
    options.length === 0
      ? ''
      : table(
          ['Option', 'Meaning'],
          options.map(({ flags, description, defaultValue, mandatory, argChoices }) => [
            `\`${flags}\`${mandatory ? ', required' : ''}`,
            `${quoted(description)}${argChoices === undefined ? '' : `: ${argChoices.join(', ')}`}${defaultValue === undefined ? '' : `; ${String(defaultValue)} by default`}`,
          ]),
        ),
  ]
  return [parts.filter((part) => part !== '').join('\n\n')]
}

/** Angle brackets would be taken for HTML. */
const quoted = (text: string) => text.replaceAll(/<[a-z]+>(?::<[a-z]+>)*/g, '`$&`')

const sentence = (text: string) =>
  `${quoted(text).replace(/^[a-z]/, (letter) => letter.toUpperCase())}${text.endsWith('.') ? '' : '.'}`
