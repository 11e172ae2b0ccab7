import type { Setting, Settings } from '../src/kernel/settings/setting.ts'
import { SETTING_GROUPS } from '../src/settings/table.ts'
import { table } from './reference/markdown.ts'

const INTRODUCTION = `# Settings

Generated from \`src/settings/\` by \`npm run generate\`; do not edit.

A setting is a variable of the environment, or a member of the JSON file that \`BANYAN_CONFIG\` names:

\`\`\`json
{
  "PUBLIC_URL": "https://api.example.com",
  "PROCESSES": 4,
  "HASH_KEY_FILE": "/run/secrets/hash-key"
}
\`\`\`

Where both have a setting, the environment wins; an empty variable counts as not set. A setting marked 🔒 is a secret. Instead of
its value, \`NAME_FILE\` can name a file that contains it, in either place; white space around it is removed. \`settings.schema.json\` is the JSON Schema of
the file, which \`banyan config schema\` prints too.

Every command checks all values that are set, and names all errors at once: invalid values, members of the file that are no setting, and
variables that begin with \`BANYAN_\` or resemble a missing setting and are none. \`banyan config\` prints the settings that hold and where
each comes from, with secrets masked.

With several processes, a [rolling restart](../operations.md#upgrade) reads the files again, but not the environment, \`DATABASE_URL\`, \`HOST\` and \`PORT\`:
so a replaced secret in a file takes effect without a failed request.
`

/** Returns the page that describes every setting. */
export const settingsReference = (): string =>
  [INTRODUCTION, ...Object.entries(SETTING_GROUPS).map(([title, settings]) => sectionOf(title, settings))].join('\n')

const sectionOf = (title: string, settings: Settings): string =>
  [`## ${title}`, '', table(['Setting', 'Default', 'Meaning'], Object.entries(settings).map(rowOf)), ''].join('\n')

function rowOf([name, setting]: [string, Setting]): string[] {
  const { meaning, fallback, fallbackText, required, secret } = setting
  const usual = fallbackText ?? (fallback === undefined ? '' : `\`${fallback}\``)
  const condition = required === undefined ? '' : `required ${required}`
  const words = [usual, condition].filter((text) => text !== '').join('; ')
  return [`\`${name}\`${secret ? ' 🔒' : ''}`, words, meaning]
}
