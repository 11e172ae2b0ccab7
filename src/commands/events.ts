import { type Command, InvalidArgumentError, Option } from 'commander'
import { makeListenSecret } from '../settings/keys.ts'
import { loadDataDir, loadTokenConfig } from '../settings/config.ts'
import { isWebhookSecret, newWebhookSecret } from '../kernel/crypto/sign-webhook.ts'
import { StartError } from '../kernel/start-error.ts'
import { print, report } from './terminal.ts'
import { issueToken } from './token.ts'

/** The default of PUBLIC_URL. */
const DEFAULT_ORIGIN = 'http://localhost:8080'

type ListenOptions = {
  url?: string
  token?: string
  basicToken?: string
  type?: string[]
  after?: string
  forward?: string
  secret?: string
}

export function addEventsCommand(program: Command): void {
  program
    .command('events')
    .description('commands for the event log')
    .command('listen')
    .description(
      'print events as they happen, one line of JSON each, until Ctrl-C; optionally forward them to your program',
    )
    .addOption(
      new Option('--url <url>', 'URL of the API, without a path; defaults to the local server')
        .env('BANYAN_URL')
        .argParser(webAddress),
    )
    .addOption(new Option('--token <token>', 'an access token').env('BANYAN_TOKEN'))
    .addOption(
      new Option('--basic-token <token>', 'a basic_token, exchanged when needed; prefer the environment variable')
        .env('BANYAN_BASIC_TOKEN')
        .conflicts('token'),
    )
    .addOption(new Option('--type <type...>', 'only events of these types'))
    .addOption(new Option('--after <event>', 'only events after the one with this id; defaults to new events'))
    .addOption(
      new Option(
        '--forward <url>',
        'POST each event once to this URL, signed according to Standard Webhooks',
      ).argParser(webAddress),
    )
    .addOption(
      new Option('--secret <whsec>', 'secret that signs them; by default one kept in DATA_DIR, which is printed')
        .env('BANYAN_WEBHOOK_SECRET')
        .argParser(webhookSecret),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 ended by Ctrl-C, 1 rejected by the API, 2 wrong options. Temporary failures are retried.',
    )
    .action((options: ListenOptions) => listenUntilStopped(options))
}

/** Without credentials, uses a viewer token signed with the keys of this installation, as `token` does. */
async function listenUntilStopped(options: ListenOptions): Promise<void> {
  const { token, basicToken, type: types = [], after, forward: forwardUrl } = options
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.on('SIGTERM', stop).on('SIGINT', stop)
  const { signal } = stopping
  const { exchangeBasicToken, listen } = await import('../../sandbox/listen.ts')
  const tokenConfig = token === undefined && basicToken === undefined ? loadTokenConfig() : undefined
  const url = options.url ?? tokenConfig?.origin ?? DEFAULT_ORIGIN
  const getToken = async () => {
    if (basicToken !== undefined) return exchangeBasicToken({ url, basicToken, signal })
    return token ?? (tokenConfig && (await issueToken(tokenConfig, { role: 'viewer', subject: 'command-line' }))) ?? ''
  }
  const forward = forwardUrl === undefined ? undefined : { url: forwardUrl, secret: options.secret ?? keptSecret() }
  report(`Listening to ${url}. Press Ctrl-C to stop.`)
  if (forward)
    report(`Forwarding to ${forward.url}, signed with ${options.secret === undefined ? forward.secret : 'your secret'}`)
  await listen({ url, getToken, types, after, forward, print, report, signal })
}

/** The same at each start, so that the receiver need not be restarted. */
function keptSecret(): string {
  const secret = makeListenSecret(loadDataDir(), newWebhookSecret)
  if (isWebhookSecret(secret)) return secret
  throw new StartError('keys/listen-secret in DATA_DIR holds no webhook secret. Delete it, and a new one is made.')
}

function webAddress(text: string): string {
  const isWebUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isWebUrl) throw new InvalidArgumentError('It must be a URL that starts with http:// or https://.')
  return text.replace(/\/$/, '')
}

function webhookSecret(text: string): string {
  if (!isWebhookSecret(text)) throw new InvalidArgumentError('It must be whsec_ followed by 24 to 64 bytes in base64.')
  return text
}
