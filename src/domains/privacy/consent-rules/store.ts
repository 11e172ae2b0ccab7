import { CONSENT_RULES } from '../../../access/consent-rules.ts'
import { recordedWrite } from '../../../record/index.ts'
import { setInPath } from '../../partners/platforms/index.ts'

export const SET_CONSENT_RULES = recordedWrite({
  name: 'platform_access_set_consent_rules',
  ...CONSENT_RULES.update,
  events: false,
})

export const rulesInPath = setInPath(CONSENT_RULES.find)
