import { isDeepStrictEqual } from 'node:util'
import { CONSENT_PURPOSES, CONSENT_RULES, type ConsentRules } from '../../../access/consent-rules.ts'
import { changed, operation, unchanged } from '../../../record/index.ts'
import { refuseOlderPrograms } from '../../../kernel/db/refuse-older-programs.ts'
import { PlatformPath } from '../../partners/platforms/index.ts'
import { tags } from '../notices/records.ts'
import { ConsentRulesInput, type ConsentRulesInput as Input, ConsentRulesRecord, versionOfRules } from './records.ts'
import { rulesInPath, SET_CONSENT_RULES } from './store.ts'

export const setConsentRules = operation('PUT /platforms/:platform_id/consent_rules', {
  access: 'setConsentRules',
  tags,
  summary: 'Replace the consent rules of a platform',
  description:
    'From the day of a rule on, what is new for its purpose is a 409 `consent_missing` without a consent; with the ground LEGITIMATE_USE it needs ' +
    'none. `insurance`: to enrol, and to join a member; `children`: to register a dependant below 18; `care`: to open a consultation; ' +
    '`wallet`: to create one; `accounts`: to open one, also by onboarding. A purpose without a rule is not checked. A change holds within five seconds.',
  params: PlatformPath,
  body: ConsentRulesInput,
  versioned: true,
  response: { 200: ConsentRulesRecord },
  problems: ['not_found', 'precondition_failed', 'unavailable'],
  target: rulesInPath,
  version: versionOfRules,
  prepare: ({ deps }) => refuseOlderPrograms(deps.db, 'consents'),
  serializeBy: ({ params }) => params.platform_id,
  change: ({ target: former, body }) => {
    const value = rulesIn(body)
    if (isDeepStrictEqual(value, former.value)) return unchanged(former)
    return { result: { ...former, value }, ...SET_CONSENT_RULES.with(CONSENT_RULES.toValues(former, value)) }
  },
  present: (rules) => changed(versionOfRules(rules)),
})

/** Returns the rules as they are stored: without what is not set. */
function rulesIn(body: Input): ConsentRules {
  const rules: ConsentRules = {}
  for (const purpose of CONSENT_PURPOSES) {
    const rule = body[purpose]
    if (rule) rules[purpose] = { ground: rule.ground, section: rule.section ?? null, from: rule.from }
  }
  return body.response_days ? { ...rules, response_days: body.response_days } : rules
}
