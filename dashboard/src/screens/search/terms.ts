/** What a text can be that somebody has typed or read out. A number can be several of these, so all are tried. */
export type Terms = {
  phone?: { phone_country_code: string; phone_number: string }
  idProof?: string
  /** The partner's own number of a person. */
  employeeNumber?: string
  /** Printed on card and certificate, the insurer’s own, or an id. */
  policyNumber?: string
  groupNumber?: string
  /** The 12 digits that lists and reports show. */
  personId?: string
  /** The id of anything else: its kind is how it begins. */
  recordId?: string
  /** A part of a company’s name. */
  name?: string
}

const INDIA = '+91'
const RECORD = /^(?!pol_)[a-z]{3}_[0-9a-z]{26}$/
const PERSON = /^\d{12}$/
const DIGITS = /^\d{6,14}$/
const WITH_DIAL_CODE = /^(\+91)[\s-]*([\d\s-]+)$|^(\+\d{1,4})[\s-]+([\d\s-]+)$/

export function termsIn(typed: string): Terms {
  const text = typed.trim()
  if (text === '') return {}
  if (RECORD.test(text)) return { recordId: text }
  if (text.startsWith('pol_')) return { policyNumber: text }
  const phone = phoneIn(text)
  if (text.startsWith('+')) return phone ? { phone } : {}
  const compact = text.replaceAll(/[\s-]/g, '')
  return {
    ...(phone && { phone }),
    ...(/\d/.test(text) && {
      idProof: text.replaceAll(/\s/g, '').toUpperCase(),
      employeeNumber: text,
      policyNumber: text,
      groupNumber: text,
    }),
    ...(PERSON.test(compact) && { personId: compact }),
    // A printed number can have no digit, and a name one.
    ...(!/\d/.test(text) && compact.length === 12 && { policyNumber: text }),
    ...(/\p{L}{2}/u.test(text) && { name: text.toLocaleLowerCase() }),
  }
}

function phoneIn(text: string): Terms['phone'] {
  const [, india, ofIndia, code, number] = WITH_DIAL_CODE.exec(text) ?? []
  const digits = (ofIndia ?? number ?? text).replaceAll(/[\s-]/g, '')
  return DIGITS.test(digits) ? { phone_country_code: india ?? code ?? INDIA, phone_number: digits } : undefined
}
