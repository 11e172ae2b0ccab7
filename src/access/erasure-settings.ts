/** How long something is kept although the person was erased, and the law that asks for it. */
export type RetentionTerm = { years: number; law: string }

/**
 * The terms that are settings. Each is written together with its law, so that nobody changes the one without naming the other:
 * `8 years: Companies Act, 2013, section 128(5)`.
 */
export const RETENTION_SETTINGS = {
  /** Books of account and vouchers, eight financial years. The five years of section 12 of the PMLA, 2002, end before that. */
  ledger: { name: 'RETAIN_LEDGER', otherwise: '8 years: Companies Act, 2013, section 128(5)' },
  /** Premiums were paid under these numbers, so they are vouchers too. A licence of the insurance regulator can ask for more. */
  policies: { name: 'RETAIN_POLICY_NUMBERS', otherwise: '8 years: Companies Act, 2013, section 128(5)' },
} as const

/** Hours between asking for an erasure and making it, in which it can be called off; 48 by rule 8(2) where it applies. */
export const NOTICE_SETTING = { name: 'ERASURE_NOTICE_HOURS', otherwise: 0, min: 0, max: 720 } as const

export type ErasureSettings = Readonly<{
  noticeHours: number
  terms: Readonly<Record<keyof typeof RETENTION_SETTINGS, RetentionTerm>>
}>

/** What a term looks like, for whoever wrote it differently. */
export const TERM_WORDS =
  'must be a number of years from 1 to 50 and the law that asks for them, as "8 years: Some Act".'

const TERM = /^(\d{1,2}) years?: (\S.{0,199})$/

/** Returns the term that a text says; undefined for what is none. */
export function parseTerm(text: string): RetentionTerm | undefined {
  const [, digits, law = ''] = TERM.exec(text) ?? []
  const years = Number(digits)
  return years >= 1 && years <= 50 ? { years, law } : undefined
}
