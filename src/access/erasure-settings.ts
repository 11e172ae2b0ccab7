import type { Reading } from '../kernel/read-environment.ts'

/** How long data is retained after the person was erased, and the law that requires it. */
export type RetentionTerm = { years: number; law: string }

const LAW = '8 years: Companies Act, 2013, section 128(5)'

/** The retention terms. Each setting names its law, so that neither is changed without the other. */
const RETENTION_SETTINGS = {
  /** Books of account, eight financial years. At least the five years of the PMLA, 2002, section 12; the database checks. */
  ledger: { name: 'RETAIN_LEDGER', fallback: LAW, min: 5 },
  /** Premiums were paid under these numbers, so they are vouchers. The insurance regulator's licence can ask for more. */
  policies: { name: 'RETAIN_POLICY_NUMBERS', fallback: LAW, min: 1 },
} as const

/** Hours between the request for an erasure and the erasure; 48 where rule 8(2) of the DPDP Rules, 2025, applies. */
const NOTICE_SETTING = { name: 'ERASURE_NOTICE_HOURS', fallback: 0, min: 0, max: 720 } as const

export type ErasureSettings = Readonly<{
  noticeHours: number
  terms: Readonly<Record<keyof typeof RETENTION_SETTINGS, RetentionTerm>>
}>

const YEARS_MAX = 50

const TERM = /^(\d{1,2}) years?: (\S.{0,199})$/

/** Returns the term in a setting, or a sentence that says what is wrong with it. */
function parseTerm(text: string, { name, min }: { name: string; min: number }): RetentionTerm | string {
  const [, digits, law = ''] = TERM.exec(text) ?? []
  const years = Number(digits)
  if (years >= min && years <= YEARS_MAX) return { years, law }
  return `${name} must be ${min} to ${YEARS_MAX} years and the law that asks for them, such as "${LAW}".`
}

/** Returns the erasure settings. Adds a sentence to the errors for each malformed one. */
export function readErasureSettings({ environment, errors, integer }: Reading): ErasureSettings {
  const term = (setting: (typeof RETENTION_SETTINGS)[keyof typeof RETENTION_SETTINGS]): RetentionTerm => {
    const found = parseTerm(environment[setting.name] || setting.fallback, setting)
    if (typeof found !== 'string') return found
    errors.push(found)
    return { years: 0, law: '' }
  }
  const { ledger, policies } = RETENTION_SETTINGS
  const noticeHours = integer(NOTICE_SETTING.name, NOTICE_SETTING)
  return { noticeHours, terms: { ledger: term(ledger), policies: term(policies) } }
}
