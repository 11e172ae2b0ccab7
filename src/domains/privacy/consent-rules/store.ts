import type { Caller } from '../../../access/caller.ts'
import { CONSENT_RULES_UPDATE, findConsentRules, type PlatformConsentRules } from '../../../access/consent-rules.ts'
import { checkIsOwn } from '../../../access/scope.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { recordedWrite } from '../../../record/index.ts'

export const SET_CONSENT_RULES = recordedWrite({
  name: 'platform_access_set_consent_rules',
  ...CONSENT_RULES_UPDATE,
  events: false,
})

type Target = { deps: { db: Queryable }; request: { caller: Caller }; params: { platform_id: string } }

/** Returns the rules of the platform in the path. Throws 404 `not_found` when there is none, or it is not the caller's. */
export async function rulesInPath({ deps, request, params }: Target): Promise<PlatformConsentRules> {
  checkIsOwn(request.caller, { platformId: params.platform_id })
  return findConsentRules(deps.db, params.platform_id)
}
