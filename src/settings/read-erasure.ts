import type { KeyObject } from 'node:crypto'
import { readPublicKey } from '../kernel/crypto/public-wrap.ts'
import { PRIVACY_SETTINGS } from './privacy-settings.ts'
import type { Reading } from './table.ts'

/** How long data is retained after the person was erased, and the law that requires it. */
export type RetentionTerm = { years: number; law: string }

/** The retention terms. Each setting names its law, so that neither is changed without the other. */
const RETENTION_SETTINGS = {
  /** Books of account, eight financial years. At least the five years of the PMLA, 2002, section 12; the database checks. */
  ledger: { name: 'RETAIN_LEDGER', min: 5 },
  /** Premiums were paid under these numbers, so they are vouchers. The insurance regulator's licence can ask for more. */
  policies: { name: 'RETAIN_POLICY_NUMBERS', min: 1 },
} as const

type RetentionSetting = (typeof RETENTION_SETTINGS)[keyof typeof RETENTION_SETTINGS]

export type ErasureSettings = Readonly<{
  noticeHours: number
  /** For how many days data is held for the holder of the private key; 0: not at all. */
  holdDays: number
  /** Wraps the data keys that are held. Also without days, to hold again after a restore. */
  holdKey: KeyObject | null
  terms: Readonly<Record<keyof typeof RETENTION_SETTINGS, RetentionTerm>>
}>

const YEARS_MAX = 50

const TERM = /^(\d{1,2}) years?: (\S.{0,199})$/

/** Returns the term in a setting, or a sentence that says what is wrong with it. */
function parseTerm(text: string, { name, min }: RetentionSetting): RetentionTerm | string {
  const [, digits, law = ''] = TERM.exec(text) ?? []
  const years = Number(digits)
  if (years >= min && years <= YEARS_MAX) return { years, law }
  return `${name} must be ${min} to ${YEARS_MAX} years and the law that asks for them, such as "${PRIVACY_SETTINGS[name].fallback}".`
}

/** Reads the hold. A key that is set must be usable, whatever the days. */
function readHold({ errors, integer, text }: Reading): Pick<ErasureSettings, 'holdDays' | 'holdKey'> {
  const holdDays = integer('ERASURE_HOLD_DAYS')
  const pem = text('ERASURE_HOLD_KEY', '')
  if (pem === '') {
    if (holdDays > 0) errors.push('ERASURE_HOLD_KEY must be set when ERASURE_HOLD_DAYS is more than 0.')
    return { holdDays, holdKey: null }
  }
  const key = readPublicKey(pem)
  if (typeof key === 'string') errors.push(`ERASURE_HOLD_KEY ${key}.`)
  return { holdDays, holdKey: typeof key === 'string' ? null : key }
}

export function readErasureSettings(reading: Reading): ErasureSettings {
  const { text, errors, integer } = reading
  const term = (setting: RetentionSetting): RetentionTerm => {
    const parsed = parseTerm(text(setting.name), setting)
    if (typeof parsed !== 'string') return parsed
    errors.push(parsed)
    return { years: 0, law: '' }
  }
  const { ledger, policies } = RETENTION_SETTINGS
  const noticeHours = integer('ERASURE_NOTICE_HOURS')
  return { noticeHours, ...readHold(reading), terms: { ledger: term(ledger), policies: term(policies) } }
}
