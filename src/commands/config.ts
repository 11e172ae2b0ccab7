import type { Command } from 'commander'
import { describeSettings, type SettingInUse } from '../settings/config.ts'
import { settingsSchema } from '../settings/schema.ts'
import { EXIT_USAGE, type JsonOption, print, printJson, report, withJson } from './terminal.ts'

export function addConfigCommand(program: Command): void {
  const config = withJson(
    program
      .command('config')
      .description('print the settings that hold and where each comes from; exits with 2 when one is invalid')
      .option('--set', 'only those that are set somewhere')
      .addHelpText('after', '\nSecrets are masked. `config schema` prints the JSON Schema of the settings file.'),
  ).action(({ json, set }: JsonOption & { set?: boolean }) => {
    const { settings, errors } = describeSettings()
    const listed = settings.filter(({ source }) => !set || (source !== 'default' && source !== 'unused'))
    if (json) printJson({ settings: listed, errors })
    else for (const line of toLines(listed)) print(line)
    for (const sentence of errors) report(sentence)
    if (errors.length > 0) process.exitCode = EXIT_USAGE
  })

  config
    .command('schema')
    .description('print the JSON Schema of the settings file, whose path is in BANYAN_CONFIG')
    .action(() => printJson(settingsSchema()))
}

function toLines(settings: SettingInUse[]): string[] {
  const nameLength = Math.max(0, ...settings.map(({ name }) => name.length))
  const valueLength = Math.max(
    0,
    ...settings.map(({ value }) => value.length).filter((length) => length <= VALUE_LENGTH),
  )
  return settings.map(
    ({ name, value, source }) => `${name.padEnd(nameLength)}  ${value.padEnd(valueLength)}  ${source}`,
  )
}

/** Longer values move their source to the right, not that of the others. */
const VALUE_LENGTH = 50
