import type { Reading } from './table.ts'

export type SmsSettings =
  | { gateway: 'sandbox'; url: string }
  | { gateway: 'twilio'; url: string; accountSid: string; authToken: string; from: string }

type SmsGateway = SmsSettings['gateway']

const TWILIO_NAMES = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const

/** Reads the SMS gateway: outside production the sandbox, unless Twilio is configured. */
export function readSms({ production, all, text, choice }: Reading, sandboxPort: number): SmsSettings {
  const settings: { [G in SmsGateway]: () => Extract<SmsSettings, { gateway: G }> } = {
    sandbox: () => ({ gateway: 'sandbox', url: `http://localhost:${sandboxPort}/sms` }),
    twilio: () => {
      const [accountSid = '', authToken = '', from = ''] = all(TWILIO_NAMES, 'SMS_GATEWAY is twilio')
      return { gateway: 'twilio', url: text('TWILIO_URL'), accountSid, authToken, from }
    },
  }
  const values = (Object.keys(settings) as SmsGateway[]).filter((gateway) => !production || gateway !== 'sandbox')
  return settings[choice('SMS_GATEWAY', values, production ? 'twilio' : 'sandbox')]()
}

/** The hash of an Android app, which the SMS Retriever API looks for. */
const APP_HASH = /^[A-Za-z0-9+/]{11}$/
const DOMAIN = /^(?=.{4,100}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/

/** By what an app or a page finds the code in a message: the hash of an Android app, or the domain of a page. */
export type SmsAutofill = { appHash: string } | { domain: string }

/** Returns null where messages end with neither. */
export function readSmsAutofill({ text, errors }: Reading): SmsAutofill | null {
  const value = text('SMS_AUTOFILL')
  if (value === '') return null
  if (APP_HASH.test(value)) return { appHash: value }
  if (!DOMAIN.test(value))
    errors.push('SMS_AUTOFILL must be a domain, such as app.example.com, or the 11 characters of an Android app.')
  return { domain: value }
}
