import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newWorkspace, runCommand } from './server.ts'

/** Settings required in production, with nothing behind them. */
export const COMPANIES = {
  ACCOUNT_PROVIDER_URL: 'http://127.0.0.1:9',
  ACCOUNT_PROVIDER_API_KEY: 'key',
  OPERATOR_URL: 'http://127.0.0.1:9',
  OPERATOR_API_KEY: 'key',
  OPERATOR_SECRET: 'sixteen characters',
}
export const TWILIO = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: '+15005550006' }

const KEY_FILES = {
  SIGNING_KEYS: 'signing-keys.json',
  MASTER_KEYS: 'master-keys',
  HASH_KEY: 'hash-key',
  ADMIN_API_KEYS: 'admin-api-key',
}

/** A set of keys, generated as docs/operators/install.md says. */
export async function newKeys(): Promise<Record<string, string>> {
  const folder = await newWorkspace()
  await runCommand(['token', '--role', 'owner'], folder.environment)
  const keys = Object.entries(KEY_FILES).map(([name, file]) => [
    name,
    readFileSync(join(folder.dataDir, 'keys', file), 'utf8'),
  ])
  await folder.remove()
  return Object.fromEntries(keys)
}
