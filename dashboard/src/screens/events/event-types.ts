import type { EventType } from '../../api/events.ts'
import { EVENT_TYPES } from '../../generated/event-types.ts'

const GROUPS = {
  people: 'People',
  policies: 'Policies',
  money: 'Money',
  care: 'Consultations',
  partners: 'Partners',
} as const
type Group = keyof typeof GROUPS

type SubjectOf<Type> = Type extends `${infer Subject}.${string}` ? Subject : never

/** The group of each type, by what stands before its dot. */
const GROUP_OF: Readonly<Record<SubjectOf<EventType>, Group>> = {
  user: 'people',
  consent: 'people',
  rights_request: 'people',
  dependants: 'people',
  dependant: 'people',
  policy: 'policies',
  endorsement: 'policies',
  document: 'policies',
  next_action: 'policies',
  account: 'money',
  wallet: 'money',
  deposit: 'money',
  consultation: 'care',
  sponsor: 'partners',
  benefit: 'partners',
  credential: 'partners',
  platform: 'partners',
  account_provider: 'partners',
  administrator: 'partners',
  webhook_endpoint: 'partners',
}

const groupOf = (type: EventType): Group => GROUP_OF[type.slice(0, type.indexOf('.')) as SubjectOf<EventType>]

export const EVENT_GROUPS = Object.entries(GROUPS).map(([value, label]) => ({
  value,
  label,
  types: EVENT_TYPES.filter((type) => groupOf(type) === value),
}))
