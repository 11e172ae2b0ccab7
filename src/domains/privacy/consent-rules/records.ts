import { type Static, Type } from 'typebox'
import {
  CONSENT_GROUNDS,
  CONSENT_PURPOSES,
  type ConsentRule,
  type ConsentRules,
} from '../../../access/consent-rules.ts'
import type { SetForPlatform } from '../../../access/platform-setting.ts'
import { forEachWord } from '../../../kernel/for-each-word.ts'
import { DayText, Nullable, OneOf, OrNull, record, Text } from '../../../kernel/http/schemas.ts'

/** The longest term of any right; that of grievances is shorter by law. */
const RESPONSE_DAYS_MAX = 365

const rule = {
  ground: OneOf(CONSENT_GROUNDS, { description: 'On which ground of the Act the platform processes for it' }),
  from: DayText({ description: 'First day on which what is new is refused without consent' }),
}
const section = () =>
  Text({ maxLength: 50, description: 'Section of the Act that the ground is of, for the record', examples: ['6(1)'] })

const RuleInput = Type.Object(
  { ...rule, section: OrNull(section()) },
  { title: 'ConsentRuleInput', description: 'The ground of a purpose, and from when' },
)
const Rule = Type.Object(
  { ...rule, section: Nullable(section()) },
  { title: 'ConsentRule', description: 'The ground of a purpose, and from when' },
)

const responseDays = Type.Integer({
  minimum: 1,
  maximum: RESPONSE_DAYS_MAX,
  description: 'Within how many days the platform responds to rights requests, as it has published; 90 if not set',
})

const examples = [
  {
    insurance: { ground: 'CONSENT', section: '6(1)', from: '2027-05-14' },
    children: { ground: 'CONSENT', section: '9(1)', from: '2027-05-14' },
    care: null,
    wallet: null,
    accounts: null,
    response_days: 30,
  },
]

export const ConsentRulesInput = Type.Object(
  { ...forEachWord(CONSENT_PURPOSES, () => OrNull(RuleInput)), response_days: OrNull(responseDays) },
  { description: 'The rules of every purpose; one that is absent has none', examples },
)
export type ConsentRulesInput = Static<typeof ConsentRulesInput>

export const ConsentRulesRecord = record(
  'ConsentRules',
  { ...forEachWord(CONSENT_PURPOSES, () => Nullable(Rule)), response_days: Nullable(responseDays) },
  { description: 'For which purposes a platform needs consent, and from when', examples },
)

/** The members of a stored rule are in an order of the database's; a version has to have one. */
const presentRule = (rule: ConsentRule | undefined) =>
  rule === undefined ? null : { ground: rule.ground, section: rule.section, from: rule.from }

export const presentRules = (rules: ConsentRules): Static<typeof ConsentRulesRecord> => ({
  ...forEachWord(CONSENT_PURPOSES, (purpose) => presentRule(rules[purpose])),
  response_days: rules.response_days ?? null,
})

/** The rules are their own version: they have no other state. */
export const versionOfRules = ({ value }: SetForPlatform<ConsentRules>) => ({
  record: presentRules(value),
  revision: 0,
})
