import { execFileSync } from 'node:child_process'

/** Settings required in production, with nothing behind them. */
export const COMPANIES = {
  ACCOUNT_PROVIDER_URL: 'http://127.0.0.1:9',
  ACCOUNT_PROVIDER_API_KEY: 'key',
  OPERATOR_URL: 'http://127.0.0.1:9',
  OPERATOR_API_KEY: 'key',
  OPERATOR_SECRET: 'sixteen characters',
}
export const TWILIO = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: '+15005550006' }

/** The variables of an environment file. */
export const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

/** A set of keys, made as docs/operators/install.md says. */
export const newKeys = (): Record<string, string> =>
  variablesIn(execFileSync(new URL('../../deploy/make-secrets', import.meta.url).pathname, { encoding: 'utf8' }))
