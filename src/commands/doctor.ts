import type { Command } from 'commander'
import { inspectConfig } from '../settings/config.ts'
import type { Report } from '../boot/doctor/finding.ts'
import { coloured, EXIT_FAILURE, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addDoctorCommand(program: Command): void {
  withJson(
    program
      .command('doctor')
      .description(
        'examine settings, database, keys, storage, companies, ports, disk and certificates; changes nothing',
      )
      .addHelpText('after', '\nExit codes: 0 no error (there may be warnings), 1 errors, each with its remedy.'),
  ).action(async ({ json = false }: JsonOption) => {
    const { examine } = await import('../boot/doctor/doctor.ts')
    const reports: Report[] = []
    for await (const report of examine(inspectConfig())) {
      reports.push(report)
      if (!json) printReport(report)
    }
    const errors = reports.filter(({ state }) => state === 'error').length
    const warnings = reports.filter(({ state }) => state === 'warning').length
    if (json) printJson({ errors, warnings, checks: reports })
    else print(`${errors} errors, ${warnings} warnings`)
    if (errors > 0) process.exitCode = EXIT_FAILURE
  })
}

const COLOURS = { ok: 'green', warning: 'yellow', error: 'red', skipped: 'gray' } as const
const STATE_LENGTH = 7
const CHECK_LENGTH = 16

function printReport({ check, state, says, remedy }: Report): void {
  print(`${coloured(COLOURS[state], state.padEnd(STATE_LENGTH))}  ${check.padEnd(CHECK_LENGTH)}  ${says}`)
  if (remedy !== undefined) print(`${' '.repeat(STATE_LENGTH + CHECK_LENGTH + 4)}→ ${remedy}`)
}
