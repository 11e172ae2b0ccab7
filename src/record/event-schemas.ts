import { type TObject, type TSchema, Type } from 'typebox'
import { Nullable, OneOf } from '../kernel/http/schemas.ts'
import { EVENTS, type EventType } from './catalogue.ts'

const id = (prefix: string) => `${prefix}_06bnv3m2r8f1s4k7q9t3v6w0y2`

const EXAMPLES: Record<string, unknown> = {
  user_id: '012345678901',
  dependant_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y3',
  dependant_ids: [id('dep'), 'dep_06bnv3m2r8f1s4k7q9t3v6w0y3'],
  previous_version_id: id('dep'),
  insurance_policy_id: id('pol'),
  benefit_provider_id: id('bpr'),
  person_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y3',
  fields: ['first_name'],
  persons_version: 1,
  start_date: '2026-04-01',
  end_date: '2027-03-31',
  days_left: 30,
  endorsement_id: id('edo'),
  consent_id: id('cst'),
  rights_request_id: id('rrq'),
  purpose: 'insurance',
  kind: 'CORRECTION',
  subject_id: id('pol'),
  subject_kind: 'insurance_policy',
  code: 'decide_application',
  who: 'benefit_provider',
  due_on: '2026-04-08',
  rule: 'decision',
  document_type: 'policy_certificate',
  account_id: id('acc'),
  wallet_id: id('wal'),
  partner_from: 'UNKNOWN',
  partner_to: 'ACTIVE',
  transaction_id: id('txn'),
  transaction_type: 'CREDIT',
  consultation_id: id('con'),
  message_id: id('msg'),
  sponsor_id: id('spn'),
  benefit_id: id('bnf'),
  credential_id: id('crd'),
  owner_kind: 'platform',
  owner_id: id('plt'),
  platform_id: id('plt'),
  account_provider_id: id('apr'),
  administrator_id: id('adm'),
  webhook_endpoint_id: id('whe'),
  reason: 'failing',
}

const TRANSITIONS: Partial<Record<EventType, { from: string; to: string }>> = {
  'policy.status_changed': { from: 'APPROVED', to: 'ISSUED' },
  'endorsement.status_changed': { from: 'REQUESTED', to: 'ACCEPTED' },
  'rights_request.status_changed': { from: 'RECEIVED', to: 'IN_PROGRESS' },
  'account.status_changed': { from: 'PENDING', to: 'ACTIVE' },
  'wallet.status_changed': { from: 'IN_PROGRESS', to: 'COMPLETED' },
  'consultation.status_changed': { from: 'OPEN', to: 'CLOSED' },
  'sponsor.status_changed': { from: 'PENDING', to: 'ACTIVE' },
  'platform.status_changed': { from: 'ACTIVE', to: 'INACTIVE' },
  'account_provider.status_changed': { from: 'active', to: 'inactive' },
  'administrator.status_changed': { from: 'ACTIVE', to: 'DISABLED' },
}

export function exampleOfEvent(type: EventType): Record<string, unknown> {
  const { payload, subject, audience } = EVENTS[type]
  const values: Record<string, unknown> = { ...EXAMPLES, ...TRANSITIONS[type] }
  const always = Object.entries<TSchema>(payload.properties).filter(([, member]) => !Type.IsOptional(member))
  const data = Object.fromEntries(always.map(([name]) => [name, values[name]]))
  return {
    id: id('evt'),
    type,
    timestamp: '2026-04-01T09:30:00.123Z',
    subject: data[subject],
    platform_id: audience.includes('platform') ? id('plt') : null,
    data,
  }
}

/** Returns the schema name of an event type: `PolicyStatusChangedEvent` for `policy.status_changed`. */
export const titleOfEvent = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

/** The words that members of payloads can be, such as the states of a record. */
export type EventValues = Partial<Record<EventType, Record<string, readonly string[]>>>

/** Narrows a member to its words; the previous state stays nullable. */
function narrowed(member: TSchema, allowed: readonly string[] | undefined): TSchema {
  if (allowed === undefined) return member
  const { description } = member as { description?: string }
  const one = OneOf(allowed, description === undefined ? {} : { description })
  return 'anyOf' in member ? Nullable(one) : one
}

/** Returns the public schema of an event type. Closed internally, open outside, because members may be added. */
const eventSchema = (type: EventType, allowed: Record<string, readonly string[]> = {}): TObject =>
  Type.Object(
    {
      id: Type.String({ description: 'Id of the event, the same in lists and webhooks' }),
      type: Type.Literal(type, { description: 'Type of the event' }),
      timestamp: Type.String({
        format: 'date-time',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
        description: 'Time of the event (RFC 3339, UTC, with milliseconds)',
      }),
      subject: Type.String({
        description: `Id of the record the event is about: the \`${EVENTS[type].subject}\` in \`data\``,
      }),
      platform_id: Nullable(Type.String({ description: 'The platform the event belongs to; `null` if none' })),
      data: Type.Object(
        Object.fromEntries(
          Object.entries<TSchema>(EVENTS[type].payload.properties).map(([name, member]) => [
            name,
            narrowed(member, allowed[name]),
          ]),
        ),
        { description: 'Ids, types, states, names of fields and days of a term; no personal data' },
      ),
    },
    { title: titleOfEvent(type), description: EVENTS[type].description, examples: [exampleOfEvent(type)] },
  )

export const eventSchemas = (types: readonly EventType[], allowed: EventValues): TObject[] =>
  types.map((type) => eventSchema(type, allowed[type]))
