import { type Static, type TSchema, Type } from 'typebox'
import { OneOf } from '../kernel/http/schemas.ts'
import { type JobName, OPEN_ACCOUNT, PROVISION_WALLET, SEND_OTP } from './jobs.ts'

/** Who may receive an event: the platform or the benefit provider it belongs to. Administrators may receive all. */
type Audience = 'platform' | 'provider'

/** Events are kept this long, and so is what points to them. The schema's `delete_old_events` has the same number. */
export const EVENT_RETENTION_DAYS = 30

type Starts<Payload> = { job: JobName; when?: (data: Payload) => boolean }

type Entry<Payload extends TSchema> = {
  description: string
  payload: Payload
  /** The member of the payload that identifies the event's subject. */
  subject: keyof Static<Payload> & string
  audience: readonly Audience[]
  /** Internal: not visible outside, not even to administrators. */
  isInternal?: true
  /** Delivered to the webhook endpoint that it names and to nobody else; never listed. */
  isUnlisted?: true
  starts?: Starts<Static<Payload>>
}

const event = <Payload extends TSchema>(entry: Entry<Payload>): Entry<Payload> => entry

const IdBounds = { minLength: 1, maxLength: 100 }
const Id = Type.String(IdBounds)
const WORD = '^[A-Za-z_]{1,50}$'
const State = Type.String({ pattern: WORD })
/** The previous state; null for a new record. */
const PreviousState = Type.Union([State, Type.Null()])
const Day = Type.String({ format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })
const exactly = <P extends Record<string, TSchema>>(members: P) => Type.Object(members, { additionalProperties: false })

/** Returns the payload of a transition: the ids of the record and the states it left and entered. */
const transitionData = <P extends Record<string, TSchema>>(ids: P) =>
  exactly({ ...ids, from: PreviousState, to: State })

const owner = { owner_kind: Type.Union([Type.Literal('platform'), Type.Literal('provider')]), owner_id: Id }
const endpointOwner = {
  ...owner,
  owner_kind: Type.Union([...owner.owner_kind.anyOf, Type.Literal('administrators')], {
    description: 'Kind of owner: a platform, a benefit provider, or the administrators together',
  }),
}
const DisabledReason = Type.String({
  pattern: WORD,
  description: 'Reason: `requested` by its owner, `failing` for five days, or `gone` (it responded with 410)',
})
const platform = ['platform'] as const
const both = ['platform', 'provider'] as const

/** The fields of a person that policies depend on; a correction names those that it changed. */
export const PERSON_FIELDS = ['title', 'first_name', 'last_name', 'gender', 'date_of_birth'] as const
export type PersonField = (typeof PERSON_FIELDS)[number]

/** What events about the same kind of record have in common. */
const ofUser = { payload: exactly({ user_id: Id }), subject: 'user_id', audience: platform } as const
const ofSponsor = { payload: exactly({ sponsor_id: Id }), subject: 'sponsor_id', audience: platform } as const
const ofBenefit = {
  payload: exactly({ benefit_id: Id, benefit_provider_id: Id }),
  subject: 'benefit_id',
  audience: both,
} as const
const ofCredential = {
  payload: exactly({ credential_id: Id, ...owner }),
  subject: 'credential_id',
  audience: both,
} as const
const ofPolicy = {
  payload: exactly({ user_id: Id, insurance_policy_id: Id, benefit_provider_id: Id }),
  subject: 'insurance_policy_id',
  audience: both,
} as const
const ofDocument = {
  payload: exactly({ user_id: Id, insurance_policy_id: Id, benefit_provider_id: Id, document_type: Id }),
  subject: 'insurance_policy_id',
  audience: both,
} as const

const ofConsent = {
  payload: exactly({
    user_id: Id,
    consent_id: Id,
    purpose: State,
    benefit_provider_id: Type.Union([Id, Type.Null()], {
      description:
        'The benefit provider that this event is for too: one event for each of the person; `null` if there is none',
    }),
  }),
  subject: 'consent_id',
  audience: both,
} as const

/** Payloads hold only ids, types, states, names of fields, numbers of versions, and days of a term or by which to act. */
export const EVENTS = {
  'user.created': event({ description: 'A user was created by issuing a token.', ...ofUser }),
  'user.updated': event({ description: 'The profile or phone number of a user changed.', ...ofUser }),
  'user.onboarded': event({ description: 'A user completed onboarding.', ...ofUser }),
  'user.erasure_scheduled': event({
    description: 'The erasure of a user was requested; it follows after the notice period.',
    ...ofUser,
  }),
  'user.erasure_cancelled': event({ description: 'The erasure of a user was cancelled.', ...ofUser }),
  'user.erased': event({
    description:
      'A user was erased. Erase your own copies, and inform those who hold data of the user on your behalf. Each benefit provider that had a policy of ' +
      'the user receives an event of its own, with the ids of these policies, whatever their status.',
    payload: exactly({
      user_id: Id,
      benefit_provider_id: Type.Optional(
        Type.String({
          ...IdBounds,
          description: 'The benefit provider that this event is for; left out in that of the platform',
        }),
      ),
      insurance_policy_ids: Type.Optional(
        Type.Array(Id, { description: 'The policies with that benefit provider; left out in that of the platform' }),
      ),
    }),
    subject: 'user_id',
    audience: both,
  }),
  'dependants.created': event({
    description: 'Dependants were registered.',
    payload: exactly({ user_id: Id, dependant_ids: Type.Array(Id) }),
    subject: 'user_id',
    audience: platform,
  }),
  'dependant.updated': event({
    description: 'A dependant was corrected; the correction is a new version with a new id.',
    payload: exactly({ user_id: Id, dependant_id: Id, previous_version_id: Id }),
    subject: 'dependant_id',
    audience: platform,
  }),
  'consent.given': event({ description: 'A person consented to a purpose.', ...ofConsent }),
  'consent.withdrawn': event({
    description:
      'A person withdrew a consent. Stop what rests on it alone, and see to it that those who process on your behalf stop, too.',
    ...ofConsent,
  }),
  'consent.ended': event({
    description:
      'A person turned 18, after a parent or guardian had consented: that consent counts for the person no longer. Have the person consent as `SELF`.',
    payload: exactly({
      user_id: Id,
      dependant_id: Type.Union([Id, Type.Null()], { description: 'The dependant; `null`: the user' }),
      benefit_provider_id: ofConsent.payload.properties.benefit_provider_id,
    }),
    subject: 'user_id',
    audience: both,
  }),
  'rights_request.status_changed': event({
    description: 'A person asked the platform something by the law on personal data, or the request changed its state.',
    payload: transitionData({ user_id: Id, rights_request_id: Id, kind: State }),
    subject: 'rights_request_id',
    audience: platform,
  }),
  'policy.status_changed': event({
    description: 'An insurance policy was created or changed its status.',
    payload: transitionData({ user_id: Id, insurance_policy_id: Id, benefit_provider_id: Id }),
    subject: 'insurance_policy_id',
    audience: both,
  }),
  'policy.corrected': event({
    description:
      'A person on an insurance policy was corrected: the member, or a dependant that it covers or nominates; or, with no `fields`, was added to or ' +
      'taken off one that was never issued. Look at the policy again; approving or issuing it now takes this `persons_version`.',
    payload: exactly({
      user_id: Id,
      insurance_policy_id: Id,
      benefit_provider_id: Id,
      person_id: Id,
      fields: Type.Array(OneOf(PERSON_FIELDS)),
      persons_version: Type.Integer({ minimum: 1 }),
    }),
    subject: 'insurance_policy_id',
    audience: both,
  }),
  'endorsement.status_changed': event({
    description:
      'A change of an issued policy waits for its benefit provider, or was decided: who joins or leaves, a correction, the ' +
      'nominee, the end.',
    payload: transitionData({
      user_id: Id,
      insurance_policy_id: Id,
      benefit_provider_id: Id,
      endorsement_id: Id,
      kind: State,
    }),
    subject: 'endorsement_id',
    audience: both,
  }),
  'policy.end_scheduled': event({
    description:
      'The day on which an insurance policy ends was set or moved. Read it with `GET …/end`; `policy.status_changed` follows after that day.',
    ...ofPolicy,
  }),
  'policy.end_withdrawn': event({
    description: 'The end of an insurance policy was taken back before that day: it has its term again.',
    ...ofPolicy,
  }),
  'policy.renewal_due': event({
    description:
      'The term of an insurance policy ends soon, and it has not been renewed: 30, 7 and 1 days before its last day, or as this installation is ' +
      'configured, inside the renewal window. Not of a policy with an end that is set.',
    payload: exactly({ ...ofPolicy.payload.properties, end_date: Day, days_left: Type.Integer({ minimum: 0 }) }),
    subject: 'insurance_policy_id',
    audience: both,
  }),
  'policy.term_started': event({
    description:
      'The next term of an insurance policy, issued early, has begun: from this day on its documents are those of that term.',
    payload: exactly({ ...ofPolicy.payload.properties, start_date: Day, end_date: Day }),
    subject: 'insurance_policy_id',
    audience: both,
  }),
  'next_action.due': event({
    description:
      'Something must be done by tomorrow: the next action of an insurance policy, an endorsement or a rights request is due. Once for each record and day; the benefit ' +
      'provider receives it where it is waited for.',
    payload: exactly({
      subject_id: described(Id, 'The record that waits'),
      subject_kind: described(State, 'Kind of that record'),
      user_id: Id,
      insurance_policy_id: Type.Union([Id, Type.Null()], { description: 'The policy, also of an endorsement' }),
      benefit_provider_id: Type.Union([Id, Type.Null()]),
      code: described(State, 'What must be done'),
      who: described(State, 'Who is waited for'),
      due_on: described(Day, 'Last day to do it, in India'),
      rule: described(State, 'What sets that day'),
    }),
    subject: 'subject_id',
    audience: both,
  }),
  'deposit.low': event({
    description:
      'The balance of a deposit has fallen below the level that was set for it. Once each time; read the deposit for what it holds now.',
    payload: exactly({ sponsor_id: Id, benefit_provider_id: Id }),
    subject: 'sponsor_id',
    audience: both,
  }),
  'document.uploaded': event({
    description: 'A benefit provider or an administrator uploaded a document of a policy.',
    ...ofDocument,
  }),
  'document.upload_deleted': event({
    description: 'An uploaded document was deleted; the generated document is served again.',
    ...ofDocument,
  }),
  'account.status_changed': event({
    description: 'An account was requested or changed its status.',
    payload: transitionData({ user_id: Id, account_id: Id }),
    subject: 'account_id',
    audience: platform,
    starts: { job: OPEN_ACCOUNT.name, when: ({ to }) => to === 'PENDING' },
  }),
  'wallet.status_changed': event({
    description: 'A wallet was created, or its provisioning status or the operator’s status changed.',
    payload: transitionData({ user_id: Id, wallet_id: Id, partner_from: State, partner_to: State }),
    subject: 'wallet_id',
    audience: platform,
    // The job itself moves IN_PROGRESS back to PENDING and goes on.
    starts: { job: PROVISION_WALLET.name, when: ({ from, to }) => to === 'PENDING' && from !== 'IN_PROGRESS' },
  }),
  'wallet.balance_changed': event({
    description: 'A credit or debit was booked.',
    payload: exactly({ user_id: Id, wallet_id: Id, transaction_id: Id, transaction_type: State }),
    subject: 'wallet_id',
    audience: platform,
  }),
  'consultation.status_changed': event({
    description: 'A consultation was opened or closed.',
    payload: transitionData({ user_id: Id, consultation_id: Id, benefit_provider_id: Id }),
    subject: 'consultation_id',
    audience: both,
  }),
  'consultation.message_created': event({
    description: 'A message was written in a consultation.',
    payload: exactly({ user_id: Id, consultation_id: Id, benefit_provider_id: Id, message_id: Id }),
    subject: 'consultation_id',
    audience: both,
  }),
  'sponsor.created': event({ description: 'A sponsor was created.', ...ofSponsor }),
  'sponsor.updated': event({ description: 'A sponsor was changed.', ...ofSponsor }),
  'sponsor.status_changed': event({
    description: 'A sponsor changed its status.',
    payload: transitionData({ sponsor_id: Id }),
    subject: 'sponsor_id',
    audience: platform,
  }),
  'benefit.created': event({ description: 'A benefit was created.', ...ofBenefit }),
  'benefit.updated': event({ description: 'The name or the plans of a benefit changed.', ...ofBenefit }),
  'benefit.deleted': event({ description: 'A benefit was archived.', ...ofBenefit }),
  'credential.created': event({
    description: 'A credential of a platform or of a benefit provider was created.',
    ...ofCredential,
  }),
  'credential.revoked': event({ description: 'A credential was revoked.', ...ofCredential }),
  'platform.status_changed': event({
    description: 'A platform was created, disabled or enabled.',
    payload: transitionData({ platform_id: Id }),
    subject: 'platform_id',
    audience: platform,
  }),
  'account_provider.status_changed': event({
    description: 'An account provider was created or changed its status.',
    payload: transitionData({ account_provider_id: Id }),
    subject: 'account_provider_id',
    audience: [],
  }),
  'administrator.status_changed': event({
    description: 'An administrator logged in for the first time, or was disabled or enabled.',
    payload: transitionData({ administrator_id: Id }),
    subject: 'administrator_id',
    audience: [],
  }),
  'webhook_endpoint.enabled': event({
    description: 'A webhook endpoint was created or enabled again.',
    payload: exactly({ webhook_endpoint_id: Id, ...endpointOwner }),
    subject: 'webhook_endpoint_id',
    audience: both,
  }),
  'webhook_endpoint.disabled': event({
    description:
      'A webhook endpoint was disabled: by its owner, after failing for five days, or after responding with 410.',
    payload: exactly({ webhook_endpoint_id: Id, ...endpointOwner, reason: DisabledReason }),
    subject: 'webhook_endpoint_id',
    audience: both,
  }),
  'webhook_endpoint.tested': event({
    description: 'A test of a webhook endpoint was requested. Only that endpoint receives it.',
    payload: exactly({ webhook_endpoint_id: Id }),
    subject: 'webhook_endpoint_id',
    audience: [],
    isUnlisted: true,
  }),
  'one_time_code.requested': event({
    description: 'A one-time code was requested.',
    payload: exactly({ challenge_id: Id }),
    subject: 'challenge_id',
    audience: [],
    isInternal: true,
    starts: { job: SEND_OTP.name },
  }),
}

export type EventType = keyof typeof EVENTS
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

export const VISIBLE_TYPES = EVENT_TYPES.filter((type) => !('isInternal' in EVENTS[type]))

export const PUBLIC_TYPES = VISIBLE_TYPES.filter((type) => !('isUnlisted' in EVENTS[type]))

export const typesFor = (receiver: Audience | 'administrators'): EventType[] =>
  receiver === 'administrators' ? PUBLIC_TYPES : PUBLIC_TYPES.filter((type) => EVENTS[type].audience.includes(receiver))

export type EventData<Type extends EventType> = Static<(typeof EVENTS)[Type]['payload']>

/** An event as decided by an operation; id and time are added by the write. */
export type NewEvent = {
  type: EventType
  platformId: string | null
  subject: string
  data: Record<string, unknown>
  /** Set where the operation must know the id beforehand. */
  id?: string
}

export function newEvent<Type extends EventType>(
  type: Type,
  { platformId, data }: { platformId: string | null; data: EventData<Type> },
): NewEvent {
  const members = data as Record<string, unknown>
  return { type, platformId, subject: members[EVENTS[type].subject] as string, data: members }
}

export const STARTING_TYPES = EVENT_TYPES.filter((type) => findStart(type) !== undefined)

export function findJob({ type, data }: Pick<NewEvent, 'type' | 'data'>): JobName | undefined {
  const starts = findStart(type)
  return starts && (starts.when?.(data) ?? true) ? starts.job : undefined
}

function findStart(type: EventType): Starts<object> | undefined {
  return (EVENTS[type] as { starts?: Starts<never> }).starts as Starts<object> | undefined
}
