import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ImportKind } from '../domains/integration/imports/index.ts'
import { loadTokenConfig } from '../settings/config.ts'
import { UsageError } from '../kernel/start-error.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, report, withJson } from './terminal.ts'
import { issueToken } from './token.ts'

/** The default of PUBLIC_URL. */
const DEFAULT_ORIGIN = 'http://localhost:8080'

/** As the API has them; a command does not load the domains. */
/** Named again, because a command loads no domain before it runs; the compiler finds what is forgotten. */
const KINDS = Object.keys({
  users: true,
  enrolments: true,
  members: true,
  ends: true,
} satisfies Record<ImportKind, true>) as ImportKind[]

type ImportOptions = JsonOption & {
  kind: ImportKind
  checkOnly?: boolean
  platform?: string
  url?: string
  token?: string
  basicToken?: string
}

export function addImportCommand(program: Command): void {
  withJson(
    program
      .command('import')
      .description(
        'import a list of users, enrolments, members or ends from a file, CSV or JSON Lines (.jsonl), and print what is wrong by row and column',
      )
      .argument('<file>', 'the file; send the same one again to go on where it stopped')
      .addOption(new Option('--kind <kind>', 'what a row is').choices(KINDS).makeOptionMandatory())
      .option('--check-only', 'only check; nothing is written')
      .option('--platform <id>', 'the platform whose list it is; needed without a token of the platform')
      .addOption(
        new Option('--url <url>', 'URL of the API, without a path; defaults to the local server')
          .env('BANYAN_URL')
          .argParser(webAddress),
      )
      .addOption(new Option('--token <token>', 'an access token').env('BANYAN_TOKEN'))
      .addOption(
        new Option('--basic-token <token>', 'a basic_token of the platform; prefer the environment variable')
          .env('BANYAN_BASIC_TOKEN')
          .conflicts('token'),
      ),
  )
    .addHelpText(
      'after',
      '\nExit codes: 0 every row is done, or passed the check; 1 some are not, or the file was rejected; 2 wrong options.',
    )
    .action((file: string, options: ImportOptions) => importList(file, options))
}

/** Without credentials, uses an operator token signed with the keys of this installation, as `token` does. */
async function importList(file: string, options: ImportOptions): Promise<void> {
  const { kind, checkOnly, platform, token, basicToken, json } = options
  const tokenConfig = token === undefined && basicToken === undefined ? loadTokenConfig() : undefined
  if (tokenConfig && platform === undefined)
    throw new UsageError('Name the platform whose list it is, with --platform.')
  const { importFile } = await import('../../sandbox/import-file.ts')
  const { exchangeBasicToken } = await import('../../sandbox/listen.ts')
  const url = options.url ?? tokenConfig?.origin ?? DEFAULT_ORIGIN
  const { signal } = new AbortController()
  const getToken = async () => {
    if (basicToken !== undefined) return exchangeBasicToken({ url, basicToken, signal })
    return (
      token ?? (tokenConfig && (await issueToken(tokenConfig, { role: 'operator', subject: 'command-line' }))) ?? ''
    )
  }
  const imported = await importFile({
    url,
    getToken,
    file,
    kind,
    isCheck: checkOnly === true,
    platformId: platform,
    onProgress: createProgress('rows'),
  })
  const { import: one, errors } = imported
  if (json) printJson(imported)
  else
    for (const { row, column, code, detail } of errors)
      print(`row ${row}, ${column ?? 'whole row'}: ${code}: ${detail}`)
  report(describeEnd(one))
  if (errors.length > 0 || one.state !== 'DONE') process.exitCode = EXIT_FAILURE
}

type End = {
  id: string
  state: string
  check_only: boolean
  rows: number
  checked: number
  rejected: number
  done: number
  lost: number
}

function describeEnd({ id, state, check_only: isCheck, rows, checked, rejected, done, lost }: End): string {
  const what = isCheck
    ? `${checked - rejected} of ${rows} rows passed the check`
    : `${done} of ${rows} rows are done, ${lost} failed after the check`
  return `${id} ${state === 'DONE' ? '' : `is ${state}: `}${what}, ${rejected} were rejected.`
}

function webAddress(text: string): string {
  const isWebUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isWebUrl) throw new InvalidArgumentError('It must be a URL that starts with http:// or https://.')
  return text.replace(/\/$/, '')
}
