import { readConsentRules } from './read-consent-rules.ts'
import { setConsentRules } from './set-consent-rules.ts'

export const consentRulesOperations = [readConsentRules, setConsentRules]
