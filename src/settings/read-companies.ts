import { SANDBOX_OPERATOR_SECRET, SANDBOX_SECRET } from './known-secrets.ts'
import type { Reading } from './table.ts'

/** The bank that opens accounts, by the interface that it has. */
export type AccountProviderSettings = { api: 'http'; url: string; apiKey: string }
type AccountProviderApi = AccountProviderSettings['api']

/** The company that holds the wallets, by the interface that it has; it signs callbacks with `secret`. */
export type OperatorSettings = { api: 'http'; url: string; apiKey: string; secret: string }
type OperatorApi = OperatorSettings['api']

export function readAccountProvider({ text, choice }: Reading, sandboxPort: number): AccountProviderSettings {
  const settings: { [A in AccountProviderApi]: () => Extract<AccountProviderSettings, { api: A }> } = {
    http: () => ({
      api: 'http',
      url: text('ACCOUNT_PROVIDER_URL', `http://localhost:${sandboxPort}/account_provider`),
      apiKey: text('ACCOUNT_PROVIDER_API_KEY', SANDBOX_SECRET),
    }),
  }
  return settings[choice('ACCOUNT_PROVIDER_API', Object.keys(settings) as AccountProviderApi[], 'http')]()
}

export function readOperator({ text, choice }: Reading, sandboxPort: number): OperatorSettings {
  const settings: { [A in OperatorApi]: () => Extract<OperatorSettings, { api: A }> } = {
    http: () => ({
      api: 'http',
      url: text('OPERATOR_URL', `http://localhost:${sandboxPort}/operator`),
      apiKey: text('OPERATOR_API_KEY', SANDBOX_SECRET),
      secret: text('OPERATOR_SECRET', SANDBOX_OPERATOR_SECRET),
    }),
  }
  return settings[choice('OPERATOR_API', Object.keys(settings) as OperatorApi[], 'http')]()
}
