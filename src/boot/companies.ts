import { createAccountProviderClient, type AccountProviderClient } from '../domains/money/accounts/index.ts'
import { createSandboxSms, createTwilioSms, type Sms } from '../domains/money/wallet-sessions/index.ts'
import { createOperator } from '../domains/money/wallets/index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountProviderSettings, OperatorSettings } from '../settings/read-companies.ts'
import type { SmsSettings } from '../settings/read-sms.ts'

/** Each table has the adapters of a kind of company: a further one is an adapter, its settings and a line here. */
const ACCOUNT_PROVIDERS: {
  [A in AccountProviderSettings['api']]: (
    settings: Extract<AccountProviderSettings, { api: A }>,
  ) => AccountProviderClient
} = { http: createAccountProviderClient }

type OpenedOperator = ReturnType<typeof createOperator>
const OPERATORS: {
  [A in OperatorSettings['api']]: (settings: Extract<OperatorSettings, { api: A }> & { clock: Clock }) => OpenedOperator
} = { http: createOperator }

const SMS_GATEWAYS: {
  [G in SmsSettings['gateway']]: (settings: Extract<SmsSettings, { gateway: G }>) => Sms
} = { sandbox: createSandboxSms, twilio: createTwilioSms }

export const chooseAccountProvider = (settings: AccountProviderSettings): AccountProviderClient =>
  ACCOUNT_PROVIDERS[settings.api](settings)

/** Workers call the operator, the API does for an administrator and receives its events. */
export const chooseOperator = (settings: OperatorSettings, clock: Clock): OpenedOperator =>
  OPERATORS[settings.api]({ ...settings, clock })

export const chooseSms = <G extends SmsSettings['gateway']>(settings: Extract<SmsSettings, { gateway: G }>): Sms =>
  SMS_GATEWAYS[settings.gateway](settings)
