import { giveConsent } from './give-consent.ts'
import { listConsents } from './list-consents.ts'
import { readConsentRules } from './read-consent-rules.ts'
import { readNotice } from './read-notice.ts'
import { setConsentRules } from './set-consent-rules.ts'
import { setNotice } from './set-notice.ts'
import { withdrawConsent } from './withdraw-consent.ts'

export { ConsentRecord as ConsentSchema, presentConsent } from './records.ts'
export { ERASE_CONSENTS, findConsents, PROOF as CONSENT_PROOF } from './store.ts'

export const consentOperations = [
  setNotice,
  readNotice,
  giveConsent,
  listConsents,
  withdrawConsent,
  readConsentRules,
  setConsentRules,
]
