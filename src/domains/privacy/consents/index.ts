export { endConsents } from './end-consents.ts'
import { giveConsent } from './give-consent.ts'
import { listConsents } from './list-consents.ts'
import { withdrawConsent } from './withdraw-consent.ts'

export { ConsentRecord as ConsentSchema, presentConsent } from './records.ts'
export {
  ERASE_CONSENTS,
  findConsents,
  findGiven,
  findSelfGiven,
  PROOF as CONSENT_PROOF,
  withdrawListed,
} from './store.ts'

export const consentOperations = [giveConsent, listConsents, withdrawConsent]
