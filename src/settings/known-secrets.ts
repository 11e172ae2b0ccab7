import { SETTINGS, type SettingName, type Reading } from './table.ts'

/** Signs the events of the sandbox's operator. */
export const SANDBOX_OPERATOR_SECRET = 'the-sandbox-operator-signs-with-this'
/** The key for the sandbox's other companies, and of the client at its identity provider. */
export const SANDBOX_SECRET = 'sandbox'

/** Every secret that this repository prints, or has printed, as a value of a setting: production accepts none of them. */
const KNOWN_SECRETS: readonly string[] = [
  SANDBOX_OPERATOR_SECRET,
  SANDBOX_SECRET,
  'secret', // in examples of addresses
  // Of Compose in 0.2.0:
  'documents-of-banyan',
  'secret-of-the-client',
  'none',
  'app',
  'owner',
]

/** Checks what no reader does: the settings that nothing has read, and that production has no secret which anybody knows. */
export function checkOthers(reading: Reading): void {
  reading.checkOthers()
  if (reading.production) reading.errors.push(...knownSecretsIn(reading))
}

function knownSecretsIn({ given }: Reading): string[] {
  const names = Object.keys(SETTINGS) as SettingName[]
  return names
    .filter((name) => 'secret' in SETTINGS[name])
    .filter((name) => secretsIn(given(name)).some((secret) => KNOWN_SECRETS.includes(secret)))
    .map(
      (name) =>
        `${name} has a secret that anybody can read in the repository of this program. Make one of your own, as by \`openssl rand -hex 24\`.`,
    )
}

/** Returns a value, the keys in a list of `name:key`, and the password in an address. */
function secretsIn(text: string): string[] {
  const keys = text.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1).trim())
  const url = URL.canParse(text) ? new URL(text) : undefined
  return [text, ...keys, url?.password ?? '', url?.searchParams.get('password') ?? '']
}
