// Generated from openapi.json by `npm run generate`. Do not edit.

import type { Instant } from '../instant.ts'
import type { Money } from '../money.ts'
import type { Open, UnknownEvent } from '../open.ts'
import type { PlainDate } from '../plain-date.ts'
import type { AccountId, AccountProviderId, AdministratorId, AuditEntryId, BenefitId, BenefitProviderId, ChallengeId, ComparisonId, ConsentId, ConsultationId, CredentialId, DataId, DeliveryId, DependantId, DepositId, EndorsementId, EntryId, EventId, ImportId, InsurancePolicyId, MembersId, MessageId, PersonId, PlatformId, PolicyId, RecordId, RightsRequestId, ScheduledEndorsementId, SessionId, SponsorId, SubjectId, TransactionId, UserId, WalletId, WebhookEndpointId } from './ids.ts'

/** The caller */
export type AccessActor = {
  /** Kind of caller */
  kind: Open<'platform' | 'benefit_provider' | 'user' | 'administrator' | 'program' | 'holder_of_card'>
  /** Name of the caller; of who checked a card only the network is known, /24 or /48 */
  name: string
}

/** An access to the user’s data */
export type AccessEntry = {
  /** Time of the entry (UTC, written without a zone) */
  at: Instant
  actor: AccessActor
  /** What was done, in words */
  operation: string
  /** Purpose stated by the caller */
  purpose: string | null
}

/** An access token (RFC 6749) */
export type AccessToken = {
  /** Send it as `Authorization: Bearer`. Opaque; contains no personal data */
  access_token: string
  /** Token type (RFC 6749) */
  token_type: Open<'Bearer'>
  /** Seconds */
  expires_in: number
}

/** A purpose-bound account. Its status is a filter of the list, not a field. */
export type Account = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: AccountId
  /** The account provider’s id of the account; `null` until it is opened */
  external_account_id: string | null
  /** `user:` followed by the user id */
  holder: string
  /** As returned by the account provider */
  account_details: {
  /** IFSC of the bank branch */
  ifsc_code: string | null
  /** Type of purpose-bound account */
  account_type: Open<'SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR'>
}
  /** Time of the request (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A bank that holds purpose-bound accounts */
export type AccountProvider = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: AccountProviderId
  /** Display name, in any script */
  name: string
  /** Current status; see the operation that sets it */
  status: Open<'active' | 'inactive'>
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** An account provider was created or changed its status. */
export type AccountProviderStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'account_provider.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `account_provider_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The account provider */
  account_provider_id: AccountProviderId
  /** Status before; `null` for a new record */
  from: Open<'active' | 'inactive'> | null
  /** Status after */
  to: Open<'active' | 'inactive'>
}
}

/** Current status of an account. No calendar changes it. */
export type AccountStatus = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: AccountId
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'INACTIVE' | 'PENDING'>
  /** Time of the last transition (UTC, written without a zone) */
  since: Instant
  /** Last day of grace; the policy expires after it */
  grace_until: PlainDate | null
  /** Day of the next transition by the calendar */
  next_move_on: PlainDate | null
  /** States that this caller can set */
  allowed_transitions: readonly (Open<'ACTIVE' | 'INACTIVE' | 'PENDING'>)[]
}

/** An account was requested or changed its status. */
export type AccountStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'account.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `account_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The account */
  account_id: AccountId
  /** Status before; `null` for a new record */
  from: Open<'ACTIVE' | 'INACTIVE' | 'PENDING'> | null
  /** Status after */
  to: Open<'ACTIVE' | 'INACTIVE' | 'PENDING'>
}
}

/** Request body of `addDepositEntry` */
export type AddDepositEntryRequest = {
  /** Kind of record */
  kind: 'TOP_UP' | 'REVERSAL'
  amount: PaidAmount
  /** When it was received, or taken back; today or earlier */
  paid_on: PlainDate
  /** Your number of it, unique in this deposit */
  reference: string
}

/** A structured address */
export type Address = {
  /** First line of the street address */
  line1: string
  /** Second line of the street address */
  line2?: string | undefined
  /** City, town or village */
  city: string
  /** State or union territory */
  state: string
  /** Country */
  country: string
  /** Postal code */
  pincode: string
}

/** An administrator of this installation, or a person of a partner, created at the first login */
export type Administrator = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: AdministratorId
  /** Name from the identity provider; `null` if it sends none */
  name: string | null
  /** Role, assigned by the identity provider at each login; a person of a partner has the rights of its tokens */
  role: Open<'viewer' | 'operator' | 'owner' | 'platform' | 'benefit_provider'>
  /** The platform or benefit provider whose person it is; `null` for administrators */
  owner_id: string | null
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'DISABLED'>
  /** Last use of a session, to the minute (UTC, written without a zone) */
  last_seen_at: Instant
}

/** An active session */
export type AdministratorSession = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: SessionId
  /** Role, assigned by the identity provider at each login; a person of a partner has the rights of its tokens */
  role: Open<'viewer' | 'operator' | 'owner' | 'platform' | 'benefit_provider'>
  /** Time of the login (UTC, written without a zone) */
  created_at: Instant
  /** Last use of the session, to the minute (UTC, written without a zone) */
  last_seen_at: Instant
  /** Time when the session ends if it is not used again (UTC, written without a zone) */
  expires_at: Instant
}

/** An administrator logged in for the first time, or was disabled or enabled. */
export type AdministratorStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'administrator.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `administrator_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The administrator */
  administrator_id: AdministratorId
  /** Status before; `null` for a new record */
  from: Open<'ACTIVE' | 'DISABLED'> | null
  /** Status after */
  to: Open<'ACTIVE' | 'DISABLED'>
}
}

/** Request body of `assignInsurancePolicy` */
export type AssignInsurancePolicyRequest = {
  /** Who is to work on it; without it, you yourself */
  administrator_id?: AdministratorId | null | undefined
  /** `true` also takes it from who works on it now */
  take_over?: boolean | null | undefined
}

/** A record of who read or changed data */
export type AuditEntry = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: AuditEntryId
  /** Time of the entry (UTC, written without a zone) */
  at: Instant
  /** The caller: kind and id */
  actor: string
  /** Operation id, or name of the job */
  operation: string
  /** What was done, in words */
  summary: string
  /** Kind of action */
  action: Open<'read' | 'change' | 'revoke' | 'token'>
  /** Id of the record concerned */
  subject: string | null
  /** The user whose data was accessed */
  user_id: UserId | null
  /** Id of the request, as in the log */
  request_id: string
  /** Purpose stated by the caller */
  purpose: string | null
  /**
   * The credential that was used: of a partner, also through a token of its users, or a session. `null` in
   * entries from before version 0.3.0 and of what needs none
   */
  credential_id: CredentialId | null
}

/** The bank account that feeds the purpose-bound account */
export type BankDetails = {
  /** Bank account number; a string, so that leading zeros are preserved */
  account_number: string
  /** IFSC of the bank branch */
  ifsc_code: string
}

/** A benefit a sponsor pays for, with its plans */
export type Benefit = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: BenefitId
  /** Display name, in any script */
  name: string
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The sponsor */
  sponsor_id: SponsorId
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'ARCHIVED'>
  /** Plans users can enrol in */
  plans: readonly Plan[]
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A benefit was created. */
export type BenefitCreatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'benefit.created'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `benefit_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The benefit */
  benefit_id: BenefitId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}
}

/** A benefit was archived. */
export type BenefitDeletedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'benefit.deleted'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `benefit_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The benefit */
  benefit_id: BenefitId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}
}

/** An insurer or clinic network */
export type BenefitProvider = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: BenefitProviderId
  /** Display name, in any script */
  name: string
  /** Upper snake case; the `provider` of consultations */
  code: string
  /** A structured address */
  address: Address | null
  /** Used in documents. White text on it must be legible, with a contrast of at least 4.5 to 1 */
  colour: string | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** The name or the plans of a benefit changed. */
export type BenefitUpdatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'benefit.updated'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `benefit_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The benefit */
  benefit_id: BenefitId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}
}

/** The result of cancelling an erasure */
export type CancelledErasure = {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** Whether there was an erasure to cancel */
  cancelled: boolean
}

/** The cover today */
export type CheckHealthCardResponse = {
  /** Cover on that day */
  result: Open<'valid' | 'in_grace' | 'expired' | 'not_started' | 'not_valid'>
  /** The person is covered, but has a newer card with other details: ask for it */
  newer_card?: true | undefined
  /** Only in grace: whether the plan covers until the policy is renewed or paid */
  covered?: boolean | undefined
  /** First day of the cover, while it has not begun */
  valid_from?: PlainDate | undefined
  /** Last day of this result, unless the policy changes */
  valid_until?: PlainDate | undefined
  /** Name of the benefit provider */
  issuer?: string | undefined
  /** Date of the check, in India */
  checked_on?: PlainDate | undefined
  /** Time of the check (UTC, written without a zone) */
  checked_at?: Instant | undefined
  /** Last four characters of the policy number */
  policy_number_last4?: string | undefined
  /** Initials of the covered person */
  member_initials?: string | undefined
}

/** A comparison of a file with what is stored, which changes nothing. Kept for 90 days */
export type Comparison = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: ComparisonId
  /** Kind of record */
  kind: Open<'members' | 'deposit'>
  /** Of `members` only: the number of the group policy */
  master_policy_number: string | null
  /** Of `deposit` only: whose deposit it is */
  sponsor_id: SponsorId | null
  /** Of `deposit` only: the benefit provider that holds it */
  benefit_provider_id: BenefitProviderId | null
  /** Of `deposit` only: the first day that was compared; `null` where it was not named */
  from: PlainDate | null
  /** The day that was compared; of `deposit` the last one */
  on: PlainDate
  /** Rows of the file */
  rows: number
  /** Of `members` only: persons covered on the day, as it is stored */
  persons: number | null
  /** Of `deposit` only: entries of these days, as they are stored */
  entries: number | null
  differences: DifferenceCounts
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** Request body of `completeOnboarding` */
export type CompleteOnboardingRequest = {
  address?: UserAddress | undefined
  bank_details: BankDetails
  /** Date of birth */
  dob: PlainDate
  /** Given name */
  first_name: string
  /** Family name */
  last_name: string
  /** Email address */
  email: string
  /** Gender */
  gender: 'MALE' | 'FEMALE' | 'OTHER'
  /** Form of address (`MR`, `MS`, …) */
  title: 'MR' | 'MRS' | 'MS' | 'MASTER'
}

/** The consent of a person to one purpose. One that is withdrawn or has ended stays */
export type Consent = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: ConsentId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** What it is for */
  purpose: Open<'insurance' | 'children' | 'care' | 'wallet' | 'accounts'>
  /** The dependant whose data it is about; `null`: the user */
  dependant_id: DependantId | null
  /** Version of the notice */
  notice_version: string
  /** Language of the notice (BCP 47) */
  language: string
  /** Who gave it */
  given_by: Open<'SELF' | 'PARENT' | 'GUARDIAN'>
  /**
   * How it was verified that a parent or guardian is an adult: by details that the platform held, by details
   * that they gave, or by a virtual token
   */
  verified_by: Open<'HELD_DETAILS' | 'DETAILS_GIVEN' | 'TOKEN'> | null
  /** A consent, or one from before the Act whose notice was given since (section 5(2)) */
  basis: Open<'CONSENT' | 'NOTICED_BEFORE'>
  /** Time of its withdrawal (UTC, written without a zone) */
  withdrawn_at: Instant | null
  /**
   * Time since when it counts no longer: a parent or guardian gave it, and everybody it is about are 18 (UTC,
   * written without a zone)
   */
  ended_at: Instant | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** What shows that it was given; kept encrypted */
  proof: string | null
}

/**
 * A person turned 18, after a parent or guardian had consented: that consent counts for the person no longer.
 * Have the person consent as `SELF`.
 */
export type ConsentEndedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'consent.ended'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The dependant; `null`: the user */
  dependant_id: DependantId | null
  /** The benefit provider that this event is for too: one event for each of the person; `null` if there is none */
  benefit_provider_id: BenefitProviderId | null
}
}

/** A person consented to a purpose. */
export type ConsentGivenEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'consent.given'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `consent_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The consent */
  consent_id: ConsentId
  /** What the consent is for */
  purpose: Open<'insurance' | 'children' | 'care' | 'wallet' | 'accounts'>
  /** The benefit provider that this event is for too: one event for each of the person; `null` if there is none */
  benefit_provider_id: BenefitProviderId | null
}
}

/** What a platform says to people before they consent */
export type ConsentNotice = {
  /** Your version of the notice */
  version: string
  /** Language of the notice (BCP 47) */
  language: string
  /** What is processed, and why */
  items: readonly NoticeItem[]
  /** Where people withdraw a consent */
  withdraw_url: string
  /** Where people exercise their rights */
  rights_url: string
  /** Where people complain to the Data Protection Board */
  complaint_url: string
  /** Who responds to questions about personal data */
  contact: string
  /** The notice as people read it */
  text: string
  /** Time when a consent first named it, which makes it unchangeable (UTC, written without a zone) */
  named_at: Instant | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** The ground of a purpose, and from when */
export type ConsentRule = {
  /** On which ground of the Act the platform processes for it */
  ground: Open<'CONSENT' | 'LEGITIMATE_USE'>
  /** First day on which what is new is refused without consent */
  from: PlainDate
  /** Section of the Act that the ground is of, for the record */
  section: string | null
}

/** The ground of a purpose, and from when */
export type ConsentRuleInput = {
  /** On which ground of the Act the platform processes for it */
  ground: 'CONSENT' | 'LEGITIMATE_USE'
  /** First day on which what is new is refused without consent */
  from: PlainDate
  /** Section of the Act that the ground is of, for the record */
  section?: string | null | undefined
}

/** For which purposes a platform needs consent, and from when */
export type ConsentRules = {
  /** The ground of a purpose, and from when */
  insurance: ConsentRule | null
  /** The ground of a purpose, and from when */
  children: ConsentRule | null
  /** The ground of a purpose, and from when */
  care: ConsentRule | null
  /** The ground of a purpose, and from when */
  wallet: ConsentRule | null
  /** The ground of a purpose, and from when */
  accounts: ConsentRule | null
  /** Within how many days the platform responds to rights requests, as it has published; 90 if not set */
  response_days: number | null
}

/**
 * A person withdrew a consent. Stop what rests on it alone, and see to it that those who process on your behalf
 * stop, too.
 */
export type ConsentWithdrawnEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'consent.withdrawn'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `consent_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The consent */
  consent_id: ConsentId
  /** What the consent is for */
  purpose: Open<'insurance' | 'children' | 'care' | 'wallet' | 'accounts'>
  /** The benefit provider that this event is for too: one event for each of the person; `null` if there is none */
  benefit_provider_id: BenefitProviderId | null
}
}

/** A conversation between a user and a benefit provider */
export type Consultation = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: ConsultationId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The code of the benefit provider */
  provider: string
  /** Current status; see the operation that sets it */
  status: Open<'OPEN' | 'CLOSED'>
  /** Time of opening (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A message was written in a consultation. */
export type ConsultationMessageCreatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'consultation.message_created'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `consultation_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The consultation */
  consultation_id: ConsultationId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The message */
  message_id: MessageId
}
}

/** A consultation was opened or closed. */
export type ConsultationStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'consultation.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `consultation_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The consultation */
  consultation_id: ConsultationId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Status before; `null` for a new record */
  from: Open<'OPEN' | 'CLOSED'> | null
  /** Status after */
  to: Open<'OPEN' | 'CLOSED'>
}
}

/** Whether a person and each dependant are covered on a day */
export type Coverage = {
  /** The day that is asked about, in India */
  on: PlainDate
  /** One for each person and policy: the user first, then the dependants, newest policy first */
  data: readonly ({
  /** The member, which is the user, or a dependant */
  person: Open<'member' | 'dependant'>
  /** The user, or the current version of the dependant */
  id: DataId
  /** In grace it is what the plan’s `grace_cover` says; `null` where nothing is stored about the day */
  covered: boolean | null
  /** Reason, kept in the history */
  reason: Open<'in_force' | 'in_grace' | 'not_started' | 'expired' | 'awaiting_issue' | 'not_named' | 'unknown'>
  /** The insurance policy that this is about */
  policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** First covered day of the person; before the first issue the one that is asked for */
  from: PlainDate | null
  /** Last covered day of the person; in grace the last day of grace */
  to: PlainDate | null
})[]
}

/** Request body of `createAccountProvider` */
export type CreateAccountProviderRequest = {
  /** Display name, in any script */
  name: string
}

/** Request body of `createAccount` */
export type CreateAccountRequest = {
  /** Type of purpose-bound account */
  account_type: 'SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR'
}

/** Request body of `createBenefitProviderCredential` */
export type CreateBenefitProviderCredentialRequest = {
  /** Time of expiry: a future time in UTC */
  expires_at?: Instant | null | undefined
  /** The only IPv4 and IPv6 addresses and networks (CIDR) it may be used from */
  ip_allow_list?: readonly string[] | null | undefined
}

/** Request body of `createBenefitProvider` */
export type CreateBenefitProviderRequest = {
  /** Display name, in any script */
  name: string
  /** Identifier for programs */
  code: string
  /** A structured address */
  address?: Address | null | undefined
  /** Used in documents. White text on it must be legible, with a contrast of at least 4.5 to 1 */
  colour?: string | null | undefined
}

/** Request body of `createBenefit` */
export type CreateBenefitRequest = {
  /** Display name, in any script */
  name: string
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The sponsor */
  sponsor_id: SponsorId
  /** Plans users can enrol in */
  plans: readonly PlanInput[]
}

/** Request body of `createConsultation` */
export type CreateConsultationRequest = {
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}

/** Request body of `createDependants` */
export type CreateDependantsRequest = {
  /** People covered through the user */
  dependants: readonly DependantInput[]
}

/** Create dependants in bulk */
export type CreateDependantsResponse = {
  /** Entries of this page */
  data: readonly Dependant[]
}

/** Request body of `createImport` */
export type CreateImportRequest = string

/** Request body of `createMessage` */
export type CreateMessageRequest = {
  body: MessageBodyInput
}

/** Request body of `createPlatformCredential` */
export type CreatePlatformCredentialRequest = {
  /** Time of expiry: a future time in UTC */
  expires_at?: Instant | null | undefined
  /** The only IPv4 and IPv6 addresses and networks (CIDR) it may be used from */
  ip_allow_list?: readonly string[] | null | undefined
}

/** Request body of `createPlatform` */
export type CreatePlatformRequest = {
  /** Display name, in any script */
  name: string
  /** Type of the account opened by onboarding */
  default_account_type?: 'SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR' | undefined
}

/** Request body of `createRightsRequest` */
export type CreateRightsRequestRequest = {
  /** The right that it exercises */
  kind: 'ACCESS' | 'CORRECTION' | 'ERASURE' | 'NOMINATION' | 'GRIEVANCE'
  /** The dependant whose data it is about; `null`: the user */
  dependant_id?: DependantId | null | undefined
  /** What the person asks for; kept encrypted */
  text: string
}

/** An access token of an administrator */
export type CreateSessionTokenResponse = {
  /** Send it as `Authorization: Bearer`. Opaque; contains no personal data */
  access_token: string
  /** Token type (RFC 6749) */
  token_type: Open<'Bearer'>
  /** Seconds */
  expires_in: number
}

/** Request body of `createSponsor` */
export type CreateSponsorRequest = {
  /** Display name, in any script */
  name: string
  /** Permanent account number (PAN), the Indian tax id */
  pan: string
  address: Address
  sponsor_details: SponsorDetailsInput
  /** The platform that owns the sponsor. Required for administrators, optional for platforms */
  platform_id?: PlatformId | undefined
}

/** Request body of `createWebhookEndpoint` */
export type CreateWebhookEndpointRequest = {
  /** URL that receives the events: https, on the public internet */
  url: string
  /** Event types: single ones, a group (`policy.*`), or all (`*`) */
  event_types: readonly string[]
  /** Description for people */
  description?: string | null | undefined
}

/** A live credential, without its secret */
export type Credential = {
  /** Id of the credential; not secret */
  credential_id: CredentialId
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of expiry (UTC, written without a zone) */
  expires_at: Instant | null
  /** Networks it may be used from */
  ip_allow_list: readonly string[] | null
  /** Last use of it or of an access token issued through it, to the minute (UTC, written without a zone) */
  last_used_at: Instant | null
}

/** A credential of a platform or of a benefit provider was created. */
export type CredentialCreatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'credential.created'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `credential_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** Id of the credential; not secret */
  credential_id: CredentialId
  /** Kind of owner: a platform or a benefit provider */
  owner_kind: Open<'platform'> | Open<'provider'>
  /** Id of the owner */
  owner_id: string
}
}

/** Live credentials, newest first, without secrets */
export type CredentialList = {
  /** Live credentials */
  credentials: readonly ({
  /** Id of the credential; not secret */
  credential_id: CredentialId
})[]
}

/** A credential was revoked. */
export type CredentialRevokedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'credential.revoked'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `credential_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** Id of the credential; not secret */
  credential_id: CredentialId
  /** Kind of owner: a platform or a benefit provider */
  owner_kind: Open<'platform'> | Open<'provider'>
  /** Id of the owner */
  owner_id: string
}
}

/** Request body of `creditWallet` */
export type CreditWalletRequest = {
  /** Paise */
  amount: Money
  /** Your id of the booking, unique per user */
  reference: string
  /** Purpose, for people */
  description?: string | null | undefined
  /**
   * Id of the booking of this wallet that this one gives back, in whole or in part: a debit gives back a credit,
   * a credit a debit
   */
  refund_of?: string | null | undefined
}

/** The person who is logged in */
export type CurrentSession = {
  /** The administrator */
  administrator_id: AdministratorId
  /** Name from the identity provider; `null` if it sends none */
  name: string | null
  /** Role, assigned by the identity provider at each login; a person of a partner has the rights of its tokens */
  role: Open<'viewer' | 'operator' | 'owner' | 'platform' | 'benefit_provider'>
  /** The platform or benefit provider whose person it is; `null` for administrators */
  owner_id: string | null
  /** Time when the session ends if it is not used again (UTC, written without a zone) */
  expires_at: Instant
}

/** Request body of `debitWallet` */
export type DebitWalletRequest = {
  /** Paise */
  amount: Money
  /** Your id of the booking, unique per user */
  reference: string
  /** Purpose, for people */
  description?: string | null | undefined
  /**
   * Id of the booking of this wallet that this one gives back, in whole or in part: a debit gives back a credit,
   * a credit a debit
   */
  refund_of?: string | null | undefined
}

/** Delete a benefit */
export type DeleteBenefitResponse = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: BenefitId
}

/** Delete a webhook endpoint */
export type DeleteWebhookEndpointResponse = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: WebhookEndpointId
}

/** A version of a person covered through a user */
export type Dependant = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: DependantId
  /** Date of birth */
  date_of_birth: PlainDate
  /** Given name */
  first_name: string
  /** Family name */
  last_name: string
  /** The user the dependant is covered through */
  primary_user_id: UserId
  /** The version this one corrects; `null` for the first */
  previous_version_id: DependantId | null
  /** Time this version was created (UTC, written without a zone) */
  created_at: Instant
  /** Time this version was last changed (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A person to cover through a user */
export type DependantInput = {
  /** Date of birth */
  date_of_birth: PlainDate
  /** Given name */
  first_name: string
  /** Family name */
  last_name: string
}

/** A dependant was corrected; the correction is a new version with a new id. */
export type DependantUpdatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'dependant.updated'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `dependant_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** This version of the dependant */
  dependant_id: DependantId
  /** The version this one corrects; `null` for the first */
  previous_version_id: DependantId
}
}

/** Dependants were registered. */
export type DependantsCreatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'dependants.created'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** Ids of the covered dependants */
  dependant_ids: readonly DependantId[]
}
}

/** What a sponsor has paid in at a benefit provider for premiums to come */
export type Deposit = {
  /** The sponsor */
  sponsor_id: SponsorId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** What is left; below zero after a reversal of money that was used */
  balance: Money
  /** An amount in major units with at most two decimals */
  low_below: Money | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** An entry of a deposit: paid in, taken back, used for a premium, or given back by the benefit provider */
export type DepositEntry = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: DepositId
  /** Kind of record */
  kind: Open<'TOP_UP' | 'REVERSAL' | 'PREMIUM' | 'ENDORSEMENT' | 'END'>
  /** Below zero: taken from the deposit */
  amount: Money
  /** From which day on it counts (India) */
  on: PlainDate
  /** TOP_UP and REVERSAL only: the number that the benefit provider gave */
  reference: string | null
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId | null
  /** The policy */
  insurance_policy_id: PolicyId | null
  /** The endorsement */
  endorsement_id: EndorsementId | null
  /** Time of the entry (UTC, written without a zone) */
  created_at: Instant
}

/**
 * The balance of a deposit has fallen below the level that was set for it. Once each time; read the deposit for
 * what it holds now.
 */
export type DepositLowEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'deposit.low'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `sponsor_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The sponsor */
  sponsor_id: SponsorId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}
}

/** One difference between the file and what is stored */
export type Difference = {
  /**
   * `missing_here`: the row has nobody who is covered, or no entry. `missing_there`: who is covered, or the
   * entry, has no row. `doubled`: the row repeats an earlier one. `unreadable`: the row, or the day or amount in
   * it, cannot be read. The others: the row says something else
   */
  difference: Open<'missing_here' | 'missing_there' | 'name' | 'birth' | 'gender' | 'first_day' | 'last_day' | 'amount' | 'day' | 'kind' | 'balance' | 'doubled' | 'unreadable'>
  /** The row, as a spreadsheet counts: the names of the columns are row 1; `null` for `missing_there` */
  row: number | null
  /** The column that differs; `null` where it is the whole row */
  column: string | null
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId | null
  /** The policy; `null` where the row names none */
  insurance_policy_id: PolicyId | null
  /** The user or the dependant; `null` where nobody was found */
  person_id: string | null
  /** The entry of a deposit; `null` where none was found */
  entry_id: EntryId | null
}

/** How many differences of each kind */
export type DifferenceCounts = {
  /** Rows that have nobody who is covered, or no entry */
  missing_here: number
  /** Persons who are covered, or entries, and have no row */
  missing_there: number
  /** Other names */
  name: number
  /** Other dates of birth */
  birth: number
  /** Other genders */
  gender: number
  /** Other first days */
  first_day: number
  /** Other last days */
  last_day: number
  /** Other amounts */
  amount: Money
  /** Entries of other days */
  day: number
  /** Entries of another kind, or paid in where they are taken */
  kind: number
  /** 1 when the closing balance is another one */
  balance: Money
  /** Rows that repeat an earlier one */
  doubled: number
  /** Rows that cannot be read, or a day or an amount in them */
  unreadable: number
}

/** An uploaded document was deleted; the generated document is served again. */
export type DocumentUploadDeletedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'document.upload_deleted'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Type of document */
  document_type: string
}
}

/** A benefit provider or an administrator uploaded a document of a policy. */
export type DocumentUploadedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'document.uploaded'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Type of document */
  document_type: string
}
}

/** End a session of an administrator */
export type EndAdministratorSessionResponse = {
  /** False if there is no such session, which is not an error */
  ended: boolean
}

/** A change of an issued policy, which its benefit provider accepts or refuses */
export type Endorsement = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: EndorsementId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Kind of record */
  kind: Open<'JOIN' | 'LEAVE' | 'CORRECTION' | 'NOMINEE' | 'END'>
  /** The user, or the version of the dependant when it was requested; `null` of an END */
  person_id: string | null
  /** First day of it: a correction of a person holds at once, for this policy once it is accepted */
  on: PlainDate
  /** What happened in the person’s life; `null` unless somebody joins or leaves */
  event: Open<'BIRTH' | 'ADOPTION' | 'MARRIAGE' | 'DIVORCE' | 'DEATH' | 'AGE' | 'MISSED' | 'OTHER'> | null
  /** Day of that event */
  event_on: PlainDate | null
  /** By when the benefit provider should decide */
  due_on: PlainDate
  /** State or union territory */
  state: Open<'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'>
  /** Of the policy, once it was requested */
  persons_version: number
  /** Number of the issue that certifies it; `null` until there is one */
  issue: number | null
  /** The benefit provider’s own number of it */
  provider_reference: string | null
  /** An amount in major units with at most two decimals */
  amount: Money | null
  /** Of a LEAVE: an equal share of the annual premium for these days, for information */
  refund: {
  /** Days that are paid for and not covered */
  days: number
  estimate: Money
} | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** Given with its state */
  reason: string | null
}

/**
 * A change of an issued policy waits for its benefit provider, or was decided: who joins or leaves, a
 * correction, the nominee, the end.
 */
export type EndorsementStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'endorsement.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `endorsement_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The endorsement */
  endorsement_id: EndorsementId
  /** Kind of record */
  kind: string
  /** Status before; `null` for a new record */
  from: Open<'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'> | null
  /** Status after */
  to: Open<'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'>
}
}

/** Request body of `enrolInsurancePolicy` */
export type EnrolInsurancePolicyRequest = {
  /** The benefit */
  benefit_id: BenefitId
  /** Code of the plan within the benefit */
  plan_code: string
  /** First day of the term */
  start_date: PlainDate
  /** Last day of the first term, if it is earlier than by the plan: it ends with a group policy */
  end_date?: PlainDate | null | undefined
  /** Ids of the covered dependants */
  dependant_ids: readonly DependantId[]
  /** The dependant who is paid if the user dies */
  nominee_details?: NomineeDetails | null | undefined
  /** Questions asked at enrolment, with answers */
  questionnaire?: Questionnaire | null | undefined
}

/** The outcome for a field */
export type ErasedField = {
  /** The kind of data */
  field: string
  /**
   * Whether it is erased. Retained data no longer identifies the person: ids, amounts, numbers, days; or, in a
   * hold, it is sealed under a key that no server has
   */
  outcome: Open<'erased' | 'retained'>
  /** The law that requires it */
  law?: string | undefined
  /** The last day of retention; left out where there is none */
  until?: PlainDate | undefined
}

/** The erasure of a user, field by field */
export type Erasure = {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** When the user is erased; in the future during a notice period (UTC, written without a zone) */
  erased_at: Instant
  /** The outcome for each field of the person */
  fields: readonly ErasedField[]
}

/** What the erasure of a user would do */
export type ErasurePreview = {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** When the user would be erased, or will be if that is scheduled (UTC, written without a zone) */
  erased_at: Instant
  /** Whether the erasure was requested and its notice period runs */
  is_scheduled: boolean
  /** Whether the wallet holds money, which prevents the erasure */
  holds_money: boolean
  /** Policies that cover somebody; they prevent the erasure unless `end_policies=true` is sent with it */
  policies_in_force: readonly string[]
  /** What would become of each field of the person */
  fields: readonly ErasedField[]
}

/** An event; `type` says which. More types will be added: ignore those that you do not know */
export type Event = KnownEvent | UnknownEvent
export type KnownEvent = UserCreatedEvent | UserUpdatedEvent | UserOnboardedEvent | UserErasureScheduledEvent | UserErasureCancelledEvent | UserErasedEvent | DependantsCreatedEvent | DependantUpdatedEvent | ConsentGivenEvent | ConsentWithdrawnEvent | ConsentEndedEvent | RightsRequestStatusChangedEvent | PolicyStatusChangedEvent | PolicyCorrectedEvent | EndorsementStatusChangedEvent | PolicyEndScheduledEvent | PolicyEndWithdrawnEvent | PolicyRenewalDueEvent | PolicyTermStartedEvent | NextActionDueEvent | DepositLowEvent | DocumentUploadedEvent | DocumentUploadDeletedEvent | AccountStatusChangedEvent | WalletStatusChangedEvent | WalletBalanceChangedEvent | ConsultationStatusChangedEvent | ConsultationMessageCreatedEvent | SponsorCreatedEvent | SponsorUpdatedEvent | SponsorStatusChangedEvent | BenefitCreatedEvent | BenefitUpdatedEvent | BenefitDeletedEvent | CredentialCreatedEvent | CredentialRevokedEvent | PlatformStatusChangedEvent | AccountProviderStatusChangedEvent | AdministratorStatusChangedEvent | WebhookEndpointEnabledEvent | WebhookEndpointDisabledEvent | WebhookEndpointTestedEvent

/** Events of an hour */
export type EventsOfHour = {
  /** Beginning of an hour in India: half past in UTC (UTC, written without a zone) */
  since: Instant
  /** How many events */
  events: number
}

/** Request body of `exchangeCredential` */
export type ExchangeCredentialRequest = {
  /** OAuth grant type (RFC 6749) */
  grant_type: 'client_credentials'
}

/** A benefit provider with access to the user */
export type ExportedBenefitProvider = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: BenefitProviderId
  /** Display name, in any script */
  name: string
}

/** A conversation with all its messages */
export type ExportedConsultation = {
  consultation: Consultation
  /** Messages of this page */
  messages: readonly Message[]
}

/** A session of the wallet */
export type ExportedSession = {
  /** When the user signed in (UTC, written without a zone) */
  begun_at: Instant
  /** When its tokens were last renewed (UTC, written without a zone) */
  last_used_at: Instant
  /** When it ends at the latest (UTC, written without a zone) */
  expires_at: Instant
  /** When it was ended early (UTC, written without a zone) */
  ended_at: Instant | null
}

/** A change of a status */
export type ExportedStatusChange = {
  /** What changed */
  id: string
  /** The status before; `null` for a new record */
  from: string | null
  /** The status after */
  to: string
  /** The reason given for the change */
  reason: string | null
  /** Time of the change (UTC, written without a zone) */
  at: Instant
}

/** A document of a policy that was uploaded */
export type ExportedUpload = {
  /** The policy */
  insurance_policy_id: PolicyId
  /** Type of document */
  document_type: string
  /** File size in bytes */
  size_bytes: number
  /** SHA-256 of the file, in hexadecimal */
  sha256: string
  uploaded_by: AccessActor
  /** Time of the upload (UTC, written without a zone) */
  uploaded_at: Instant
  /** When it was replaced or removed (UTC, written without a zone) */
  replaced_at: Instant | null
}

/** What a credential has done with one person or record */
export type Exposure = {
  /** The person; `null` for a record that is of no user */
  user_id: UserId | null
  /** Id of the record, where it is of no user */
  subject: string | null
  /** Operation id */
  operation: string
  /** What was done, in words */
  summary: string
  /** Kind of action */
  action: Open<'read' | 'change' | 'revoke' | 'token'>
  /** How often it was done in this time */
  count: number
  /** Time of the first (UTC, written without a zone) */
  first_at: Instant
  /** Time of the last (UTC, written without a zone) */
  last_at: Instant
}

/** An error in the input */
export type FieldError = {
  /**
   * Location: a JSON Pointer into the body (`/dependants/3/date_of_birth`), or a parameter such as
   * `query:limit`, `path:user_id`, `header:idempotency-key`. Empty for the whole body.
   */
  pointer: string
  /** Stable code, for programs */
  code: Open<'required' | 'type' | 'format' | 'unknown' | 'not_allowed' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'too_small' | 'too_large' | 'duplicate' | 'unknown_reference' | 'expired' | 'unstorable_text' | 'not_a_pdf' | 'encrypted' | 'javascript' | 'unsafe_action' | 'embedded_file' | 'unpacked_too_large' | 'too_complex'>
  /** What is wrong and how to fix it, for people */
  detail: string
}

/** A policy that was found by its number: no personal data. Read the policy for the rest */
export type FoundInsurancePolicy = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: PolicyId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** The benefit */
  benefit_id: BenefitId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Code of the plan within the benefit */
  plan_code: string
  /** Current status; see the operation that sets it */
  status: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'>
  /** First day of the term */
  start_date: PlainDate
  /** Last day of the term */
  end_date: PlainDate
  /**
   * Time of the last transition: since when it waits. `null` until a worker has filled it in, of a policy from a
   * version before 0.3.0, and where such a policy has ended (UTC, written without a zone)
   */
  status_since: Instant | null
  /**
   * The benefit provider has sent the application back to PENDING with a reason, which the timeline has. Until a
   * person on it is corrected, or it moves on
   */
  is_sent_back: boolean
  /** Who has taken it up; `null` while nobody has */
  assignee: {
  /** The administrator, or the person of the benefit provider */
  id: AdministratorId
  /** For administrators; for a benefit provider that of its own people; else, and where there is none, `null` */
  name: string | null
} | null
  /** Day of the next transition by the calendar; `null` when none */
  next_move_on: PlainDate | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /**
   * What is retained of the policy of an erased user, and nothing else of the user: no other address has it.
   * `null` while the user is there
   */
  retained: {
  /** The law that requires it */
  law: string
  /** The last day of retention */
  until: PlainDate
  /** The benefit provider’s policy number; `null` until it is known */
  external_policy_id: string | null
  /** The benefit provider’s group policy number; `null` until it is known */
  master_policy_number: string | null
  premium_amounts: PremiumAmounts
} | null
}

/** Request body of `giveConsent` */
export type GiveConsentRequest = {
  /** What it is for */
  purpose: 'insurance' | 'children' | 'care' | 'wallet' | 'accounts'
  /** Your version of the notice */
  notice_version: string
  /** Language of the notice (BCP 47) */
  language: string
  /** Who gave it */
  given_by: 'SELF' | 'PARENT' | 'GUARDIAN'
  /**
   * How it was verified that a parent or guardian is an adult: by details that the platform held, by details
   * that they gave, or by a virtual token
   */
  verified_by?: 'HELD_DETAILS' | 'DETAILS_GIVEN' | 'TOKEN' | null | undefined
  /** Any version of the dependant whose data it is about */
  dependant_id?: DependantId | null | undefined
  /** A consent, or one from before the Act whose notice was given since (section 5(2)) */
  basis: 'CONSENT' | 'NOTICED_BEFORE'
  /** What shows that it was given; kept encrypted */
  proof?: string | null | undefined
}

/** A policy of a group, and who is covered by it on a day */
export type GroupPolicy = {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The benefit provider’s policy number; `null` until it is known */
  external_policy_id: string | null
  /** Code of the plan within the benefit */
  plan_code: string
  /** Who is covered on the day; empty where nobody is */
  members: readonly ({
  /** The member, which is the user, or a dependant */
  person: Open<'member' | 'dependant'>
  /** The user, or the version of the dependant that the policy names */
  id: MembersId
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
  /** Date of birth; `null` of a user who has none yet */
  date_of_birth: PlainDate | null
  /** Gender */
  gender: Open<'MALE' | 'FEMALE' | 'OTHER'> | null
  /** What the dependant is to the user, where it is known */
  relation: Open<'SPOUSE' | 'CHILD' | 'PARENT' | 'PARENT_IN_LAW' | 'SIBLING' | 'OTHER'> | null
  /** First covered day of the person */
  from: PlainDate
  /** Last covered day, as things stand */
  to: PlainDate
  /** The day is one of grace */
  in_grace: boolean
})[]
}

/** An import of a list in one file */
export type Import = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: ImportId
  /** The platform */
  platform_id: PlatformId
  /** Kind of record */
  kind: Open<'users' | 'enrolments' | 'members' | 'ends'>
  /** Nothing is written but the report */
  check_only: boolean
  /** State or union territory */
  state: Open<'CHECKING' | 'WRITING' | 'DONE' | 'STOPPED'>
  /** Rows of the file */
  rows: number
  /** Rows that have been checked */
  checked: number
  /** Rows in which the check found an error; nothing is written for them */
  rejected: number
  /** Rows that are done */
  done: number
  /** Rows that passed the check and failed afterwards, because something changed in between */
  lost: number
  /** About how long it still takes; `null` while nobody can say, and at the end */
  seconds_left: number | null
  /** When the last row was done (UTC, written without a zone) */
  finished_at: Instant | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A row that is done, or one error of a row */
export type ImportRow = {
  /** The row, as a spreadsheet counts: the names of the columns are row 1. Of JSON Lines, the line */
  row: number
  /** What became of the row */
  outcome: Open<'DONE' | 'REJECTED' | 'LOST'>
  /** The column with the error; `null` where the row as a whole has it */
  column: string | null
  /** The code of the single call: of `errors[]`, the `reason` of a conflict, or of the problem */
  code: string | null
  /** What is wrong, and how to fix it */
  detail: string | null
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId | null
  /** What was made, found or changed; of a conflict, what is there already */
  record_id: RecordId | null
}

/** Details of a person; `null` where not given */
export type IndividualSponsor = {
  /** Given name */
  first_name: string
  /** Family name */
  last_name: string
  /** Email address */
  email: string | null
  /** Phone number, free text */
  phone: string | null
  /** A person or an organisation */
  sponsor_kind: 'INDIVIDUAL'
}

/** A person; `first_name` and `last_name` are required */
export type IndividualSponsorInput = {
  /** A person or an organisation */
  sponsor_kind: 'INDIVIDUAL'
  /** Given name */
  first_name: string
  /** Family name */
  last_name: string
  /** Email address */
  email?: string | null | undefined
  /** Phone number, free text */
  phone?: string | null | undefined
}

/** An insurance policy. Its status is a filter of the list, not a field. */
export type InsurancePolicy = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: PolicyId
  /** The benefit */
  benefit_id: BenefitId
  /** Name of the benefit */
  benefit_name: string
  /** Code of the plan within the benefit */
  plan_code: string
  /** The user the dependant is covered through */
  primary_user_id: UserId
  /** The user who holds the policy */
  primary_member: {
  /** The user id */
  id: UserId
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
}
  /** Ids of the covered dependants */
  dependant_ids: readonly DependantId[]
  /** People covered through the user */
  dependants: readonly ({
  /** Opaque id, used in URLs. Ids ascend in time */
  id: DependantId
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
})[]
  documents: PolicyDocuments
  premium_amounts: PremiumAmounts
  /** Questions asked at enrolment, with answers */
  questionnaire: Questionnaire | null
  /** First day of the term */
  start_date: PlainDate
  /** Last day of the term */
  end_date: PlainDate
  /** The benefit provider’s policy number; `null` until it is known */
  external_policy_id: string | null
  /** The benefit provider’s group policy number; `null` until it is known */
  master_policy_number: string | null
  /** Metadata sent with the policy */
  metadata: {
  /** Free-form data the benefit provider keeps with the policy */
  provider_metadata: Record<string, unknown> | null
}
  /** The dependant who is paid if the user dies */
  nominee_details: NomineeDetails | null
  /** Time of enrolment (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** Who works on a policy. It is no part of the policy, whose version and time of change stay */
export type InsurancePolicyAssignee = {
  /** The policy */
  insurance_policy_id: PolicyId
  /** Who has taken it up; `null` while nobody has */
  assignee: {
  /** The administrator, or the person of the benefit provider */
  id: AdministratorId
  /** For administrators; for a benefit provider that of its own people; else, and where there is none, `null` */
  name: string | null
} | null
  /** Since when; `null` while nobody has taken it up (UTC, written without a zone) */
  assigned_at: Instant | null
}

/** An uploaded document */
export type InsurancePolicyDocument = {
  /** The policy */
  insurance_policy_id: PolicyId
  /** Type of document */
  document_type: string
  /** Download URL */
  address: string
  /** File size in bytes */
  size_bytes: number
  /** SHA-256 of the received file, in hexadecimal */
  sha256: string
  /** Time of the upload (UTC, written without a zone) */
  created_at: Instant
}

/** The day on which a policy ends before its term; every member but the id is `null` while none is set */
export type InsurancePolicyEnd = {
  /** The policy */
  insurance_policy_id: PolicyId
  /** The last covered day, in India */
  on: PlainDate | null
  /** Why it ends */
  code: Open<'CANCELLED' | 'FREE_LOOK' | 'LEFT' | 'DEATH' | 'UNPAID' | 'OTHER'> | null
  /** The reason in words, if one was given */
  reason: string | null
  /** When the end was set (UTC, written without a zone) */
  set_at: Instant | null
  /**
   * What is to be paid back; no wallet is moved by it. `estimate` is annual premium × days not covered ÷ days of
   * the year that begins with the term, for information: before claims, tax and short-period scales. `amount` is
   * the word of the benefit provider, `null` until it is given
   */
  refund: {
  /** Days that are paid for and not covered */
  days: number
  estimate: Money
  /** An amount in major units with at most two decimals */
  amount: Money | null
} | null
}

/** Who is on an insurance policy, from when to when, in days of India. Who returns is there once for each time */
export type InsurancePolicyMembers = {
  /** How often persons on the policy were corrected */
  persons_version: number
  /** Entries of this page */
  data: readonly ({
  /** The member, which is the user, or a dependant */
  person: Open<'member' | 'dependant'>
  /** The user, or the current version of the dependant */
  id: DataId
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
  /** Date of birth; `null` of a user who has none yet */
  date_of_birth: PlainDate | null
  /** Gender */
  gender: Open<'MALE' | 'FEMALE' | 'OTHER'> | null
  /** What the dependant is to the user, where it is known */
  relation: Open<'SPOUSE' | 'CHILD' | 'PARENT' | 'PARENT_IN_LAW' | 'SIBLING' | 'OTHER'> | null
  /** First covered day; `null` while the benefit provider has not accepted it */
  from: PlainDate | null
  /** Last covered day, where the person leaves, or the policy ends, before the term; `null` while none is set */
  to: PlainDate | null
  /** The first day that a pending endorsement asks for */
  asked_from: PlainDate | null
})[]
}

/** Status of a policy */
export type InsurancePolicyStatus = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: PolicyId
  /** Current status; see the operation that sets it */
  status: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'>
  /** Time of the last transition (UTC, written without a zone) */
  since: Instant
  /** Last day of grace; the policy expires after it */
  grace_until: PlainDate | null
  /** Day of the next transition by the calendar */
  next_move_on: PlainDate | null
  /** States that this caller can set */
  allowed_transitions: readonly (Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'>)[]
  /** How often persons on the policy were corrected */
  persons_version: number
  /**
   * The benefit provider has sent the application back to PENDING with a reason, which the timeline has. Until a
   * person on it is corrected, or it moves on
   */
  is_sent_back: boolean
}

/** A term of an insurance policy that was issued */
export type InsurancePolicyTerm = {
  /** First day of the term */
  start_date: PlainDate
  /** First covered day: later than `start_date` where the deposit held the premium only then */
  cover_from: PlainDate
  /** Last day of the term */
  end_date: PlainDate
  /** Last covered day, where the policy ended before `end_date` */
  ended_on: PlainDate | null
  /** The policy ended before the first day of the term */
  cancelled: boolean
  /** Empty while the certificate of a renewal is awaited */
  issues: readonly ({
  /** Number of the issue, from 1; for `?issue=` of the documents */
  issue: number
  /** Time of the issue (UTC, written without a zone) */
  issued_at: Instant
})[]
  /** Who the last issue of the term covers */
  members: readonly ({
  /** The member, which is the user, or a dependant */
  person: Open<'member' | 'dependant'>
  /** `self`, or the id of the dependant that was printed */
  id: MembersId
  /** First covered day of who joined within the term */
  from?: PlainDate | undefined
  /** Last covered day of who leaves within the term */
  to?: PlainDate | undefined
})[]
  premium_amounts: PremiumAmounts
}

/** A change of an insurance policy */
export type InsurancePolicyTimelineEntry = {
  /** Time of the change (UTC, written without a zone) */
  at: Instant
  /** Kind of record */
  kind: Open<'STATUS_CHANGED' | 'ISSUED' | 'DOCUMENT_UPLOADED' | 'DOCUMENT_REMOVED' | 'DEPENDANT_CORRECTED' | 'MEMBER_CORRECTED' | 'END_SCHEDULED' | 'END_WITHDRAWN'>
  /** Who made the change; null for corrections made before it was stored */
  actor_kind: Open<'platform' | 'user' | 'provider' | 'operator' | 'owner' | 'system'> | null
  /** STATUS_CHANGED only; null for the enrolment */
  from: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'> | null
  /** STATUS_CHANGED only */
  to: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'> | null
  /** Reason, kept in the history */
  reason: string | null
  /** ISSUED and documents only: number of the issue, from 1 */
  issue: number | null
  /** ISSUED only: first day of the term that was issued */
  start_date: PlainDate | null
  /** ISSUED only: last day of the term that was issued */
  end_date: PlainDate | null
  /** Type of document */
  document_type: string | null
  /** DEPENDANT_CORRECTED only: the new version */
  dependant_id: DependantId | null
  /** The version this one corrects; `null` for the first */
  previous_version_id: DependantId | null
  /** Corrections only: what was corrected; null for those made before it was stored */
  fields: readonly (Open<'title' | 'first_name' | 'last_name' | 'gender' | 'date_of_birth'>)[] | null
  /** END_SCHEDULED only: the last covered day */
  on: PlainDate | null
  /** END_SCHEDULED only: why it ends */
  code: Open<'CANCELLED' | 'FREE_LOOK' | 'LEFT' | 'DEATH' | 'UNPAID' | 'OTHER'> | null
}

/** Request body of `issueToken` */
export type IssueTokenRequest = {
  /** Identity document of the user. Its number is never returned */
  id_proof?: {
  /** Document number; only a hash and the last four characters are stored */
  number: string
} | undefined
  /** Dial code assigned by the ITU, with a leading plus */
  phone_country_code: string
  /** Phone number without the dial code */
  phone_number: string
  address?: UserAddress | undefined
  /** Date of birth */
  dob?: PlainDate | null | undefined
  /** Email address */
  email?: string | null | undefined
  /** Given name */
  first_name?: string | null | undefined
  /** Family name */
  last_name?: string | null | undefined
  /** Gender */
  gender?: 'MALE' | 'FEMALE' | 'OTHER' | undefined
}

/** An access token for an app user */
export type IssuedUserToken = {
  /** Send it as `Authorization: Bearer`. Opaque; contains no personal data */
  access_token: string
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
}

/** List accesses to a user’s data */
export type ListAccessLogResponse = {
  /** Entries of this page */
  data: readonly AccessEntry[]
  /** Cursor: send it as `after` to continue. `null` while the list is empty */
  next: string | null
  /** Whether more entries are available now */
  has_more: boolean
  /** Maximum number of entries on the page */
  limit: number
}

/** List account providers */
export type ListAccountProvidersResponse = {
  /** Entries of this page */
  data: readonly AccountProvider[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the accounts of a user */
export type ListAccountsResponse = {
  /** Entries of this page */
  data: readonly Account[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the sessions of an administrator */
export type ListAdministratorSessionsResponse = {
  /** Entries of this page */
  data: readonly AdministratorSession[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List administrators */
export type ListAdministratorsResponse = {
  /** Entries of this page */
  data: readonly Administrator[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the accounts of all users */
export type ListAllAccountsResponse = {
  /** Entries of this page */
  data: readonly ListedAccount[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** List the consultations of all users */
export type ListAllConsultationsResponse = {
  /** Entries of this page */
  data: readonly ListedConsultation[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** List the insurance policies of all users */
export type ListAllInsurancePoliciesResponse = {
  /** Entries of this page */
  data: readonly ListedInsurancePolicy[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** List the wallets of all users */
export type ListAllWalletsResponse = {
  /** Entries of this page */
  data: readonly ListedWallet[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** List the audit log */
export type ListAuditLogResponse = {
  /** Entries of this page */
  data: readonly AuditEntry[]
  /** Cursor: send it as `after` to continue. `null` while the list is empty */
  next: string | null
  /** Whether more entries are available now */
  has_more: boolean
  /** Maximum number of entries on the page */
  limit: number
}

/** List benefit providers */
export type ListBenefitProvidersResponse = {
  /** Entries of this page */
  data: readonly BenefitProvider[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List benefits */
export type ListBenefitsResponse = {
  /** Entries of this page */
  data: readonly Benefit[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the consents of a user */
export type ListConsentsResponse = {
  /** Entries of this page */
  data: readonly Consent[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the consultations of a user */
export type ListConsultationsResponse = {
  /** Entries of this page */
  data: readonly Consultation[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List dependants */
export type ListDependantsResponse = {
  /** Entries of this page */
  data: readonly Dependant[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the entries of a deposit */
export type ListDepositEntriesResponse = {
  /** Entries of this page */
  data: readonly DepositEntry[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the deposits of a sponsor */
export type ListDepositsResponse = {
  /** Entries of this page */
  data: readonly Deposit[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the differences of a comparison */
export type ListDifferencesResponse = {
  /** Entries of this page */
  data: readonly Difference[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the endorsements of all users */
export type ListEndorsementsResponse = {
  /** Entries of this page */
  data: readonly ListedEndorsement[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** List events */
export type ListEventsResponse = {
  /** Entries of this page */
  data: readonly Event[]
  /** Cursor: send it as `after` to continue. `null` while the list is empty */
  next: string | null
  /** Whether more entries are available now */
  has_more: boolean
  /** Maximum number of entries on the page */
  limit: number
}

/** List what a credential has read or changed */
export type ListExposureResponse = {
  /** Entries of this page */
  data: readonly Exposure[]
  /** Cursor: send it as `after` to continue. `null` while the list is empty */
  next: string | null
  /** Whether more entries are available now */
  has_more: boolean
  /** Maximum number of entries on the page */
  limit: number
}

/** List the rows of an import */
export type ListImportRowsResponse = {
  /** Entries of this page */
  data: readonly ImportRow[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the insurance policies of a user */
export type ListInsurancePoliciesResponse = {
  /** Entries of this page */
  data: readonly InsurancePolicy[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List who can work on insurance policies */
export type ListInsurancePolicyAssigneesResponse = {
  /** Entries of this page */
  data: readonly PossibleAssignee[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the terms of an insurance policy */
export type ListInsurancePolicyTermsResponse = {
  /** Entries of this page */
  data: readonly InsurancePolicyTerm[]
}

/** List the timeline of an insurance policy */
export type ListInsurancePolicyTimelineResponse = {
  /** Entries of this page */
  data: readonly InsurancePolicyTimelineEntry[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the messages of a consultation */
export type ListMessagesResponse = {
  /** Entries of this page */
  data: {
  /** Messages of this page */
  messages: readonly Message[]
  /** The code of the benefit provider */
  provider: string
}
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the next actions of all users */
export type ListNextActionsResponse = {
  /** Entries of this page */
  data: readonly NextAction[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** List the one-time codes of a user */
export type ListOneTimeCodesResponse = {
  /** Entries of this page */
  data: readonly OneTimeCode[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List permissions */
export type ListPermissionsResponse = {
  /** Entries of this page */
  data: readonly Permission[]
}

/** List platforms */
export type ListPlatformsResponse = {
  /** Entries of this page */
  data: readonly Platform[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List what a user has asked by the law on personal data */
export type ListRightsRequestsResponse = {
  /** Entries of this page */
  data: readonly RightsRequest[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the names of sponsors */
export type ListSponsorNamesResponse = {
  /** Entries of this page */
  data: readonly ListedSponsor[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List sponsors */
export type ListSponsorsResponse = {
  /** Entries of this page */
  data: readonly Sponsor[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List state machines */
export type ListStateMachinesResponse = {
  /** Entries of this page */
  data: readonly StateMachine[]
}

/** List the next actions of a user */
export type ListUserNextActionsResponse = {
  /** Entries of this page */
  data: readonly NextAction[]
}

/** List the transactions of a user’s wallet */
export type ListUserWalletTransactionsResponse = {
  /** Entries of this page */
  data: readonly WalletTransaction[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List users */
export type ListUsersResponse = {
  /** Entries of this page */
  data: readonly User[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the transactions of the wallet */
export type ListWalletTransactionsResponse = {
  /** Entries of this page */
  data: readonly WalletTransaction[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List the deliveries of a webhook endpoint */
export type ListWebhookDeliveriesResponse = {
  /** Entries of this page */
  data: readonly WebhookDelivery[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** List webhook endpoints */
export type ListWebhookEndpointsResponse = {
  /** Entries of this page */
  data: readonly ListedWebhookEndpoint[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** An account in a list of all users: no personal data */
export type ListedAccount = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: AccountId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** Type of purpose-bound account */
  account_type: Open<'SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR'>
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'INACTIVE' | 'PENDING'>
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A consultation in a list of all users: no personal data */
export type ListedConsultation = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: ConsultationId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The code of the benefit provider */
  provider: string
  /** Current status; see the operation that sets it */
  status: Open<'OPEN' | 'CLOSED'>
  /** Who has to respond: the benefit provider, unless it wrote last or the consultation is closed */
  unanswered_by: Open<'provider'> | null
  /** Time of the last message (UTC, written without a zone) */
  last_message_at: Instant | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A change of an issued policy in a list of all users: no names and no births */
export type ListedEndorsement = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: EndorsementId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Kind of record */
  kind: Open<'JOIN' | 'LEAVE' | 'CORRECTION' | 'NOMINEE' | 'END'>
  /** The user, or the version of the dependant when it was requested; `null` of an END */
  person_id: string | null
  /** First day of it: a correction of a person holds at once, for this policy once it is accepted */
  on: PlainDate
  /** What happened in the person’s life; `null` unless somebody joins or leaves */
  event: Open<'BIRTH' | 'ADOPTION' | 'MARRIAGE' | 'DIVORCE' | 'DEATH' | 'AGE' | 'MISSED' | 'OTHER'> | null
  /** Day of that event */
  event_on: PlainDate | null
  /** By when the benefit provider should decide */
  due_on: PlainDate
  /** State or union territory */
  state: Open<'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'>
  /** Of the policy, once it was requested */
  persons_version: number
  /** Number of the issue that certifies it; `null` until there is one */
  issue: number | null
  /** The benefit provider’s own number of it */
  provider_reference: string | null
  /** An amount in major units with at most two decimals */
  amount: Money | null
  /** Of a LEAVE: an equal share of the annual premium for these days, for information */
  refund: {
  /** Days that are paid for and not covered */
  days: number
  estimate: Money
} | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A policy in a list of all users: no personal data. Read the policy for the rest */
export type ListedInsurancePolicy = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: PolicyId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** The benefit */
  benefit_id: BenefitId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Code of the plan within the benefit */
  plan_code: string
  /** Current status; see the operation that sets it */
  status: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'>
  /** First day of the term */
  start_date: PlainDate
  /** Last day of the term */
  end_date: PlainDate
  /**
   * Time of the last transition: since when it waits. `null` until a worker has filled it in, of a policy from a
   * version before 0.3.0, and where such a policy has ended (UTC, written without a zone)
   */
  status_since: Instant | null
  /**
   * The benefit provider has sent the application back to PENDING with a reason, which the timeline has. Until a
   * person on it is corrected, or it moves on
   */
  is_sent_back: boolean
  /** Who has taken it up; `null` while nobody has */
  assignee: {
  /** The administrator, or the person of the benefit provider */
  id: AdministratorId
  /** For administrators; for a benefit provider that of its own people; else, and where there is none, `null` */
  name: string | null
} | null
  /** Day of the next transition by the calendar; `null` when none */
  next_move_on: PlainDate | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** What a sponsor is called */
export type ListedSponsor = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: SponsorId
  /** Display name, in any script */
  name: string
  /** Readable name of the sponsor for URLs */
  slug: string
  /** Current status; see the operation that sets it */
  status: Open<'PENDING' | 'ACTIVE' | 'INACTIVE'>
}

/** A wallet in a list of all users: no personal data, and no balance */
export type ListedWallet = {
  /** Id of the wallet, shared with the wallet partner */
  partner_wallet_id: WalletId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** Provisioning status */
  wallet_status: Open<'CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED'>
  /** The operator’s status; UNKNOWN until provisioned */
  wallet_status_partner: Open<'ACTIVE' | 'BLOCKED' | 'UNKNOWN'>
  /** For administrators: why the wallet is FAILED, in our words; else `null` */
  failure_reason: string | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A webhook endpoint, whose it is, and whether it fails */
export type ListedWebhookEndpoint = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: WebhookEndpointId
  /** URL that receives the events: https, on the public internet */
  url: string
  /** Event types: single ones, a group (`policy.*`), or all (`*`) */
  event_types: readonly string[]
  /** Description for people */
  description: string | null
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'DISABLED'>
  /** `requested` by its owner, `failing` for five days, or `gone` (it responded with 410) */
  disabled_reason: Open<'requested' | 'failing' | 'gone'> | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** The platform or benefit provider; `null` for the one that administrators share */
  owner_id: string | null
  /** Time of the first failure since the last success; `null` while it works (UTC, written without a zone) */
  first_failure_at: Instant | null
}

/** Request body of `logOutOfWallet` */
export type LogOutOfWalletRequest = {
  /** Exchanges once for a new pair of tokens */
  refresh_token: string
}

/** End a session */
export type LogOutOfWalletResponse = {
  /** True in every 200 response */
  success: boolean
}

/** Request body of `logOut` */
export type LogOutRequest = {
  /** Our page to return to from there; defaults to `/docs` */
  return_to?: '/docs' | '/dashboard' | undefined
}

/** Log out */
export type LogOutResponse = {
  /** True in every 200 response */
  success: boolean
  /** URL to log out at the identity provider; `null` if it has none */
  end_session_url: string | null
}

/** A message of a consultation */
export type Message = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: MessageId
  body: MessageBody
  /** Time of writing (UTC, written without a zone) */
  created_at: Instant
  /** The sender’s name at the time of writing */
  sender_display_name: string
}

/** Body of a message */
export type MessageBody = {
  /** Text; line breaks are kept */
  content: string
  /** Type of message */
  message_type: Open<'TEXT'>
}

/** Body of a new message */
export type MessageBodyInput = {
  /** Text; line breaks are kept */
  content: string
  /** Type of message */
  message_type: 'TEXT'
}

/** A credential with its secret */
export type NewCredential = {
  /** Send it unchanged as `Authorization: Basic`. Never returned again. */
  basic_token: string
  /** Id of the credential; not secret */
  credential_id: CredentialId
}

/** What must be done next of a record, who is waited for, and until when */
export type NextAction = {
  /** What must be done */
  code: Open<'take_up_application' | 'correct_application' | 'decide_application' | 'issue_policy' | 'reissue_policy' | 'renew_policy' | 'pay_in_grace' | 'return_policy' | 'decide_endorsement' | 'open_account' | 'create_wallet' | 'provision_wallet' | 'retry_wallet' | 'unblock_wallet' | 'answer_consultation' | 'settle_deposit' | 'review_sponsor' | 'answer_rights_request' | 'follow_withdrawal' | 'obtain_consent' | 'cancel_erasure'>
  /** Id of the record that waits; of a deposit its sponsor */
  subject: string
  /** Kind of that record */
  subject_kind: Open<'insurance_policy' | 'endorsement' | 'account' | 'wallet' | 'consultation' | 'rights_request' | 'sponsor' | 'deposit' | 'user' | 'dependant' | 'consent'>
  /** The action in a few words, in English */
  title: string
  /** What to do, and what follows; no personal data */
  detail: string
  /**
   * Who is waited for. `operator`: who runs this installation, also for what a bank or the external operator of
   * wallets has to do
   */
  who: Open<'user' | 'platform' | 'benefit_provider' | 'sponsor' | 'operator'>
  /** Last day to do it, in India; `null` where no clock runs. It can be past */
  due_on: PlainDate | null
  /**
   * What sets `due_on`, the earliest where several do: `decision`, `issue`, `correction`, `endorsement` and
   * `free_look` are days that this installation has set, `term_end`, `grace_end` and `policy_end` the last days
   * of the policy’s term, of its grace and of a policy with an end, `erasure_notice` the end of the notice,
   * `rights_request` the day by which the request is due
   */
  rule: Open<'decision' | 'issue' | 'correction' | 'endorsement' | 'term_end' | 'grace_end' | 'policy_end' | 'free_look' | 'erasure_notice' | 'rights_request'> | null
  /** `null` of a sponsor and a deposit */
  user_id: UserId | null
  /** The platform */
  platform_id: PlatformId
  /** `null` where none has to do with it */
  benefit_provider_id: BenefitProviderId | null
  /** The policy, also of an endorsement */
  insurance_policy_id: PolicyId | null
}

/**
 * Something must be done by tomorrow: the next action of an insurance policy, an endorsement or a rights request
 * is due. Once for each record and day; the benefit provider receives it where it is waited for.
 */
export type NextActionDueEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'next_action.due'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `subject_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The record that waits */
  subject_id: SubjectId
  /** Kind of that record */
  subject_kind: Open<'insurance_policy' | 'endorsement' | 'rights_request'>
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy, also of an endorsement */
  insurance_policy_id: PolicyId | null
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId | null
  /** What must be done */
  code: Open<'take_up_application' | 'correct_application' | 'decide_application' | 'issue_policy' | 'reissue_policy' | 'renew_policy' | 'pay_in_grace' | 'return_policy' | 'decide_endorsement' | 'open_account' | 'create_wallet' | 'provision_wallet' | 'retry_wallet' | 'unblock_wallet' | 'answer_consultation' | 'settle_deposit' | 'review_sponsor' | 'answer_rights_request' | 'follow_withdrawal' | 'obtain_consent' | 'cancel_erasure'>
  /** Who is waited for */
  who: Open<'user' | 'platform' | 'benefit_provider' | 'sponsor' | 'operator'>
  /** Last day to do it, in India */
  due_on: PlainDate
  /** What sets that day */
  rule: Open<'decision' | 'issue' | 'correction' | 'endorsement' | 'term_end' | 'grace_end' | 'policy_end' | 'free_look' | 'erasure_notice' | 'rights_request'>
}
}

/** The dependant who is paid if the user dies */
export type NomineeDetails = {
  /** Type of nominee */
  nominee_type: Open<'DEPENDANT'>
  /** This version of the dependant */
  dependant_id: DependantId
}

/** An item of a notice */
export type NoticeItem = {
  /** Personal data that is processed */
  data: string
  /** What it is processed for */
  purpose: string
  /** The service or use that this makes possible */
  service: string
}

/** The onboarded user and an access token for them */
export type OnboardedUser = {
  /** Send it as `Authorization: Bearer`. Opaque; contains no personal data */
  access_token: string
  user: User
}

/** A request for a one-time code, without the code */
export type OneTimeCode = {
  /** Time of the request (UTC, written without a zone) */
  requested_at: Instant
  /**
   * QUEUED: to be sent; SENT: accepted by the SMS gateway; FAILED: not accepted, tried again until it expires;
   * USED: a session began with it; EXPIRED: after five minutes or five wrong codes; VOID: the phone number was
   * changed, or the sessions ended, before it was used; REFUSED_BY_LIMIT: not made, because of too many requests
   */
  state: Open<'QUEUED' | 'SENT' | 'FAILED' | 'USED' | 'EXPIRED' | 'VOID' | 'REFUSED_BY_LIMIT'>
  /**
   * When the next request is not refused; `null` except for the one that was refused last (UTC, written without
   * a zone)
   */
  retry_at: Instant | null
}

/** Details of an organisation; `null` where not given */
export type OrganisationSponsor = {
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
  /** Email address */
  email: string | null
  /** Phone number, free text */
  phone: string | null
  /** A person or an organisation */
  sponsor_kind: 'ORGANISATION'
}

/** An organisation; `email` or `phone` is required */
export type OrganisationSponsorInput = {
  /** A person or an organisation */
  sponsor_kind: 'ORGANISATION'
  /** Given name */
  first_name?: string | null | undefined
  /** Family name */
  last_name?: string | null | undefined
  /** Email address */
  email?: string | null | undefined
  /** Phone number, free text */
  phone?: string | null | undefined
}

/** A one-time code that is being sent */
export type OtpChallenge = {
  /** Id of the one-time code; send it along with the code */
  challenge_id: ChallengeId
  /** Time the code expires (UTC, written without a zone) */
  expires_at: Instant
  /** Earliest time to request another code (UTC, written without a zone) */
  resend_at: Instant
}

/** An amount above zero in major units */
export type PaidAmount = Money

/** Who may call an operation */
export type Permission = {
  /** The operation: its `operationId` in the OpenAPI document */
  operation: string
  /** HTTP method */
  method: Open<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>
  /** Path, with the names of its ids in braces */
  path: string
  /**
   * How callers authenticate: `bearer` is an access token (an administrator’s session works too), `session` only
   * a session, `wallet_bearer` a wallet access token, `admin_key` the administrator key, `basic` a
   * `basic_token`, `signature` the HMAC of the wallet operator; `none` needs nothing
   */
  credential: Open<'bearer' | 'session' | 'wallet_bearer' | 'admin_key' | 'basic' | 'signature' | 'none'>
  /** Who may call it. Empty for `basic`, `signature` and `none`, which know no kinds of callers */
  callers: readonly PermittedCaller[]
}

/** A kind of caller that may call an operation */
export type PermittedCaller = {
  /**
   * A kind of caller, or a role of administrators. `platform_person` and `benefit_provider_person`: people of a
   * partner, with their session; elsewhere they may what their company may
   */
  caller: Open<'platform' | 'user' | 'benefit_provider' | 'viewer' | 'operator' | 'owner' | 'wallet_user' | 'admin_key' | 'platform_person' | 'benefit_provider_person'>
  /** Whether it reaches only itself, its users and what belongs to them; anything else is a 404 */
  own_records_only: boolean
}

/** A plan users can enrol in */
export type Plan = {
  /** Code of the plan within the benefit */
  plan_code: string
  /** Length of a term in months */
  term_months: number
  premium_amounts: PremiumAmounts
  /** Name of the plan, for people; documents show it instead of the code */
  plan_name: string | null
  /**
   * Days before the end of the term when the renewal window opens. Must be less than 28 days per month of the
   * term. Defaults to 30, or a quarter of the term if that is less.
   */
  renewal_window_days: number
  /** Days after the end of the term in which renewal is still possible. Defaults to 30. */
  grace_days: number
  /**
   * What a policy covers in its days of grace: as before them (`FULL`), or nothing until it is renewed or paid
   * (`NONE`). Defaults to `FULL`. A policy keeps what its plan said at the enrolment.
   */
  grace_cover: 'FULL' | 'NONE'
  /**
   * With `deposit`, an issue or a renewal takes its premium from the deposit of the sponsor at the benefit
   * provider, and is refused where that is short. Defaults to `none`. What the plan says on that day holds, for
   * every policy of it.
   */
  premium_gate: 'none' | 'deposit'
}

/** A plan to create */
export type PlanInput = {
  /** Code of the plan within the benefit */
  plan_code: string
  /** Length of a term in months */
  term_months: number
  premium_amounts: PremiumAmounts
  /** Name of the plan, for people; documents show it instead of the code */
  plan_name?: string | null | undefined
  /**
   * Days before the end of the term when the renewal window opens. Must be less than 28 days per month of the
   * term. Defaults to 30, or a quarter of the term if that is less.
   */
  renewal_window_days?: number | undefined
  /** Days after the end of the term in which renewal is still possible. Defaults to 30. */
  grace_days?: number | undefined
  /**
   * What a policy covers in its days of grace: as before them (`FULL`), or nothing until it is renewed or paid
   * (`NONE`). Defaults to `FULL`. A policy keeps what its plan said at the enrolment.
   */
  grace_cover?: 'FULL' | 'NONE' | undefined
  /**
   * With `deposit`, an issue or a renewal takes its premium from the deposit of the sponsor at the benefit
   * provider, and is refused where that is short. Defaults to `none`. What the plan says on that day holds, for
   * every policy of it.
   */
  premium_gate?: 'none' | 'deposit' | undefined
}

/** A partner company that uses the API */
export type Platform = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: PlatformId
  /** Display name, in any script */
  name: string
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'INACTIVE'>
  /** Type of the account opened by onboarding */
  default_account_type: Open<'SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR'>
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A platform was created, disabled or enabled. */
export type PlatformStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'platform.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `platform_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The platform */
  platform_id: PlatformId
  /** Status before; `null` for a new record */
  from: Open<'ACTIVE' | 'INACTIVE'> | null
  /** Status after */
  to: Open<'ACTIVE' | 'INACTIVE'>
}
}

/**
 * A person on an insurance policy was corrected: the member, or a dependant that it covers or nominates; or,
 * with no `fields`, was added to or taken off one that was never issued. Look at the policy again; approving or
 * issuing it now takes this `persons_version`.
 */
export type PolicyCorrectedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'policy.corrected'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** The person: the user, or the current version of the dependant */
  person_id: string
  /** What was corrected */
  fields: readonly (Open<'title' | 'first_name' | 'last_name' | 'gender' | 'date_of_birth'>)[]
  /** How often persons on the policy were corrected */
  persons_version: number
}
}

/** Download URLs of the policy’s documents */
export type PolicyDocuments = {
  /** URLs of the health cards, keyed by `self` and dependant id */
  health_cards: Record<string, string>
  /** URL of the customer information sheet; `null` until it exists */
  customer_information_sheet: string | null
  /** URL of the enrolment form; `null` until it exists */
  enrollment_form: string | null
  /** URL of the certificate; `null` until it exists */
  policy_certificate: string | null
}

/**
 * The day on which an insurance policy ends was set or moved. Read it with `GET …/end`; `policy.status_changed`
 * follows after that day.
 */
export type PolicyEndScheduledEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'policy.end_scheduled'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}
}

/** The end of an insurance policy was taken back before that day: it has its term again. */
export type PolicyEndWithdrawnEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'policy.end_withdrawn'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
}
}

/**
 * The term of an insurance policy ends soon, and it has not been renewed: 30, 7 and 1 days before its last day,
 * or as this installation is configured, inside the renewal window. Not of a policy with an end that is set.
 */
export type PolicyRenewalDueEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'policy.renewal_due'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Last day of the term */
  end_date: PlainDate
  /** Days until the last one of the term; 0 on that day */
  days_left: number
}
}

/** An insurance policy was created or changed its status. */
export type PolicyStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'policy.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Status before; `null` for a new record */
  from: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'> | null
  /** Status after */
  to: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'>
}
}

/**
 * The next term of an insurance policy, issued early, has begun: from this day on its documents are those of
 * that term.
 */
export type PolicyTermStartedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'policy.term_started'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `insurance_policy_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** First day of the term */
  start_date: PlainDate
  /** Last day of the term */
  end_date: PlainDate
}
}

/** Somebody who can work on policies */
export type PossibleAssignee = {
  /** The administrator, or the person of the benefit provider */
  id: AdministratorId
  /** Name from the identity provider; `null` if it sends none */
  name: string | null
  /** The benefit provider whose person it is; `null` for administrators */
  owner_id: string | null
}

/** Price of a plan, and the sponsor’s share of it */
export type PremiumAmounts = {
  annual: Money
  daily: Money
  sponsor_contribution: Money
}

/** An error (RFC 9457, application/problem+json) */
export type Problem = {
  /** URL of the documentation of the code */
  type: string
  /** Title of the code */
  title: string
  /** HTTP status */
  status: number
  /** What is wrong in this case, for people; not stable */
  detail: string
  /** Identifies this response */
  instance: string
  /** Stable code, for programs */
  code: Open<'malformed_request' | 'malformed_json' | 'login_failed' | 'unauthenticated' | 'token_expired' | 'invalid_refresh_token' | 'otp_invalid' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'invalid_state' | 'conflict' | 'idempotency_in_progress' | 'precondition_failed' | 'payload_too_large' | 'unsupported_media_type' | 'expectation_failed' | 'validation_failed' | 'idempotency_key_reused' | 'rate_limited' | 'headers_too_large' | 'internal' | 'unreadable' | 'unavailable'>
  /** Identifies the request in our log; the same as `X-Request-Id` */
  request_id: string
  /** For `forbidden`, where the kind of caller decides: the kinds that may */
  required?: readonly (Open<'platform' | 'user' | 'benefit_provider' | 'viewer' | 'operator' | 'owner' | 'wallet_user' | 'admin_key' | 'platform_person' | 'benefit_provider_person'>)[] | undefined
  /** For `forbidden`: the kind of the caller of this request */
  caller?: Open<'platform' | 'user' | 'benefit_provider' | 'viewer' | 'operator' | 'owner' | 'wallet_user' | 'admin_key' | 'platform_person' | 'benefit_provider_person'> | undefined
  /** For `invalid_state`: the current state */
  current_state?: Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED' | 'ACTIVE' | 'INACTIVE' | 'CREATED' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED' | 'BLOCKED' | 'UNKNOWN' | 'OPEN' | 'CLOSED' | 'active' | 'inactive' | 'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN' | 'RECEIVED' | 'ANSWERED' | 'DISABLED'> | undefined
  /** For `invalid_state`: the states that this caller can set */
  allowed_transitions?: readonly (Open<'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED' | 'ACTIVE' | 'INACTIVE' | 'CREATED' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED' | 'BLOCKED' | 'UNKNOWN' | 'OPEN' | 'CLOSED' | 'active' | 'inactive' | 'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN' | 'RECEIVED' | 'ANSWERED' | 'DISABLED'>)[] | undefined
  /** For `conflict`: the reason */
  reason?: Open<'insufficient_balance' | 'reference_used' | 'already_exists' | 'limit_reached' | 'refund_exceeds' | 'deposit_short' | 'erasure_scheduled' | 'in_use' | 'archived' | 'inactive' | 'incomplete' | 'term_over' | 'different_content' | 'persons_changed' | 'different_person' | 'assigned' | 'not_refusable' | 'not_withdrawable' | 'ending' | 'consent_missing'> | undefined
  /** For `already_exists`: ids of the conflicting records that the caller may know */
  existing_ids?: readonly string[] | undefined
  /** For `persons_changed`: the current number; send it when you have seen the changes */
  persons_version?: number | undefined
  /** For `limit_reached` of an amount: the limit */
  limit?: string | undefined
  /** For `limit_reached` of an amount and `refund_exceeds`: what is left, in paise */
  left_paise?: number | undefined
  /** For `limit_reached` of an amount: the day (India) on which its count begins again */
  free_on?: string | null | undefined
  /** For `deposit_short`: what the deposit lacks, in paise */
  missing_paise?: number | undefined
  /** For `deposit_short`: since when the deposit holds the amount; `null` where it does not hold it today */
  held_from?: string | null | undefined
  /** For `consent_missing`: the purpose for which the person has to consent first */
  purpose?: string | undefined
  /** For `consent_missing`: those of 18 or older who have to consent themselves */
  person_ids?: readonly PersonId[] | undefined
  /** At the token endpoint: error code of RFC 6749, 5.2 */
  error?: Open<'invalid_client' | 'invalid_request' | 'unsupported_grant_type'> | undefined
  /** For `validation_failed`: one entry for each error */
  errors?: readonly FieldError[] | undefined
}

/** Questions asked at enrolment, with answers */
export type Questionnaire = {
  /** Questions and answers */
  questions: readonly ({
  /** Question asked */
  question: string
  /** The person’s answer */
  answer: boolean
})[]
}

/** Read the authorization server metadata */
export type ReadAuthorizationServerResponse = {
  /** Issuer of the access tokens (`iss`) */
  issuer: string
  /** URL that issues access tokens */
  token_endpoint: string
  /** URL of the public keys */
  jwks_uri: string
  /** Supported grant types */
  grant_types_supported: readonly string[]
  /** Empty: there is no authorization endpoint */
  response_types_supported: readonly string[]
  /** How clients authenticate at the token endpoint */
  token_endpoint_auth_methods_supported: readonly string[]
}

/** Read the public keys */
export type ReadKeysResponse = {
  /** Public keys (RFC 7517); the `kid` of a token selects one */
  keys: readonly ({
  /** Key type */
  kty: string
  /** Curve */
  crv: string
  /** Public key, base64url */
  x: string
  /** Key id, as in the header of tokens */
  kid: string
  /** Signature algorithm */
  alg: string
  /** Key use */
  use: string
})[]
}

/** Request body of `receiveOperatorEvent` */
export type ReceiveOperatorEventRequest = {
  /** Event id; a redelivery with the same id is ignored */
  event_id: string
  /** The `partner_wallet_id` */
  reference: string
  /** Current status; see the operation that sets it */
  status: 'ACTIVE' | 'BLOCKED'
  /** Increases with every change of the wallet */
  sequence: number
}

/** Receive a status from the operator */
export type ReceiveOperatorEventResponse = {
  /** False if the event was received before */
  received: boolean
}

/** Request body of `refreshWalletToken` */
export type RefreshWalletTokenRequest = {
  /** Exchanges once for a new pair of tokens */
  refresh_token: string
}

/** Request body of `replayWebhookEvents` */
export type ReplayWebhookEventsRequest = {
  /** Start of the time range, in UTC */
  from: Instant
  /** End of the time range, exclusive, in UTC */
  to: Instant
  /** Only events whose delivery has this status */
  status?: 'FAILED' | undefined
  /** Whether to count only */
  dry_run?: boolean | undefined
}

/** Request body of `requestOtp` */
export type RequestOtpRequest = {
  /** The platform */
  platform_id: PlatformId
  /** Dial code assigned by the ITU, with a leading plus */
  phone_country_code: string
  /** Phone number without the dial code */
  phone_number: string
}

/** What became of each wallet */
export type RetriedWallets = {
  /** Entries of this page */
  data: readonly ({
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** What became of the wallet */
  outcome: Open<'RETRIED' | 'NOT_FAILED' | 'NO_WALLET' | 'CONSENT_MISSING'>
})[]
  /** True when more wallets may be FAILED: send the request again */
  has_more: boolean
}

/** Request body of `retryWallets` */
export type RetryWalletsRequest = {
  /** The users of the wallets */
  user_ids?: readonly UserId[] | undefined
  /** FAILED wallets of this platform only */
  platform_id?: PlatformId | undefined
}

/** Whether a credential was revoked */
export type Revocation = {
  /** False when the credential does not exist, which is not an error */
  revoked: boolean
}

/** What a person asks of the platform by the law on personal data */
export type RightsRequest = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: RightsRequestId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The right that it exercises */
  kind: Open<'ACCESS' | 'CORRECTION' | 'ERASURE' | 'NOMINATION' | 'GRIEVANCE'>
  /** The dependant whose data it is about; `null`: the user */
  dependant_id: DependantId | null
  /** How far the platform has come */
  state: Open<'RECEIVED' | 'IN_PROGRESS' | 'ANSWERED' | 'REFUSED'>
  /** By when the platform responds, by the term that it has published */
  due_on: PlainDate
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** What the person asks for; kept encrypted */
  text: string
  /** Given with its state; kept encrypted */
  reason: string | null
}

/** A person asked the platform something by the law on personal data, or the request changed its state. */
export type RightsRequestStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'rights_request.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `rights_request_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The request */
  rights_request_id: RightsRequestId
  /** Kind of record */
  kind: string
  /** Status before; `null` for a new record */
  from: Open<'RECEIVED' | 'IN_PROGRESS' | 'ANSWERED' | 'REFUSED'> | null
  /** Status after */
  to: Open<'RECEIVED' | 'IN_PROGRESS' | 'ANSWERED' | 'REFUSED'>
}
}

/** An endorsement in the schedule of a group policy, with the person of it as they are named now */
export type ScheduledEndorsement = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: ScheduledEndorsementId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform */
  platform_id: PlatformId
  /** The policy */
  insurance_policy_id: PolicyId
  /** The insurer or clinic network */
  benefit_provider_id: BenefitProviderId
  /** Kind of record */
  kind: Open<'JOIN' | 'LEAVE' | 'CORRECTION' | 'NOMINEE' | 'END'>
  /** The user, or the version of the dependant when it was requested; `null` of an END */
  person_id: string | null
  /** First day of it: a correction of a person holds at once, for this policy once it is accepted */
  on: PlainDate
  /** What happened in the person’s life; `null` unless somebody joins or leaves */
  event: Open<'BIRTH' | 'ADOPTION' | 'MARRIAGE' | 'DIVORCE' | 'DEATH' | 'AGE' | 'MISSED' | 'OTHER'> | null
  /** Day of that event */
  event_on: PlainDate | null
  /** By when the benefit provider should decide */
  due_on: PlainDate
  /** State or union territory */
  state: Open<'REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'>
  /** Of the policy, once it was requested */
  persons_version: number
  /** Number of the issue that certifies it; `null` until there is one */
  issue: number | null
  /** The benefit provider’s own number of it */
  provider_reference: string | null
  /** An amount in major units with at most two decimals */
  amount: Money | null
  /** Of a LEAVE: an equal share of the annual premium for these days, for information */
  refund: {
  /** Days that are paid for and not covered */
  days: number
  estimate: Money
} | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** The benefit provider’s policy number; `null` until it is known */
  external_policy_id: string | null
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
  /** Date of birth */
  date_of_birth: PlainDate | null
}

/** The erasure that will be executed; `null` without one */
export type ScheduledErasure = {
  /** When the erasure was requested (UTC, written without a zone) */
  requested_at: Instant
  /** When the user will be erased (UTC, written without a zone) */
  erased_at: Instant
  /** Whether policies that are in force are ended */
  end_policies: boolean
}

/** Request body of `searchEndorsements` */
export type SearchEndorsementsRequest = {
  /** The number of the group policy */
  master_policy_number: string
  /** Only those that begin on this day or later */
  from?: PlainDate | undefined
  /** Only those that begin on this day or earlier */
  to?: PlainDate | undefined
}

/** Search the endorsements of a group policy */
export type SearchEndorsementsResponse = {
  /** Entries of this page */
  data: readonly ScheduledEndorsement[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** Request body of `searchInsurancePolicies` */
export type SearchInsurancePoliciesRequest = {
  /** The benefit provider’s number of the policy */
  external_policy_id?: string | undefined
  /** The number of the group policy */
  master_policy_number?: string | undefined
  /** The number that card and certificate print, or the id */
  policy_number?: string | undefined
}

/** Search insurance policies by number */
export type SearchInsurancePoliciesResponse = {
  /** Entries of this page */
  data: readonly FoundInsurancePolicy[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** Request body of `searchMembers` */
export type SearchMembersRequest = {
  /** The number of the group policy */
  master_policy_number: string
  /** Another day than today in India */
  on?: PlainDate | undefined
}

/** Search the members of a group policy */
export type SearchMembersResponse = {
  /** Entries of this page */
  data: readonly GroupPolicy[]
  /** Cursor of the next page, for `after`; `null` on the last page */
  next: string | null
  /** Maximum number of entries on the page */
  limit: number
}

/** Request body of `searchUsers` */
export type SearchUsersRequest = {
  /** Dial code assigned by the ITU, with a leading plus */
  phone_country_code?: string | undefined
  /** Phone number without the dial code */
  phone_number?: string | undefined
  /** Identity document of the user. Its number is never returned */
  id_proof?: {
  /** Document number; only a hash and the last four characters are stored */
  number: string
} | undefined
  /** The benefit provider’s number of a policy */
  external_policy_id?: string | undefined
  /** The platform’s own number of the person, such as their employee number */
  employee_number?: string | undefined
  /** For administrators: search this platform only; otherwise all platforms */
  platform_id?: PlatformId | undefined
}

/** Search users */
export type SearchUsersResponse = {
  /** Entries of this page */
  data: readonly User[]
  /** Maximum number of entries on the page */
  limit: number
  /** Number of entries before this page */
  offset: number
  /** Number of entries on all pages */
  total: number
}

/** A webhook endpoint with its new secret */
export type SecretWebhookEndpoint = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: WebhookEndpointId
  /** URL that receives the events: https, on the public internet */
  url: string
  /** Event types: single ones, a group (`policy.*`), or all (`*`) */
  event_types: readonly string[]
  /** Description for people */
  description: string | null
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'DISABLED'>
  /** `requested` by its owner, `failing` for five days, or `gone` (it responded with 410) */
  disabled_reason: Open<'requested' | 'failing' | 'gone'> | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** Secret that signs deliveries (Standard Webhooks). Never returned again. */
  secret: string
}

/** Request body of `setAccountProviderStatus` */
export type SetAccountProviderStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'active' | 'inactive'
  /** Reason, kept in the history */
  reason?: string | null | undefined
}

/** Request body of `setAccountStatus` */
export type SetAccountStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'ACTIVE' | 'INACTIVE' | 'PENDING'
  /** Reason, kept in the history */
  reason?: string | null | undefined
}

/** Request body of `setAdministratorStatus` */
export type SetAdministratorStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'ACTIVE' | 'DISABLED'
  /** Reason, kept in the history */
  reason?: string | null | undefined
}

/** The rules of every purpose; one that is absent has none */
export type SetConsentRulesRequest = {
  /** The ground of a purpose, and from when */
  insurance?: ConsentRuleInput | null | undefined
  /** The ground of a purpose, and from when */
  children?: ConsentRuleInput | null | undefined
  /** The ground of a purpose, and from when */
  care?: ConsentRuleInput | null | undefined
  /** The ground of a purpose, and from when */
  wallet?: ConsentRuleInput | null | undefined
  /** The ground of a purpose, and from when */
  accounts?: ConsentRuleInput | null | undefined
  /** Within how many days the platform responds to rights requests, as it has published; 90 if not set */
  response_days?: number | null | undefined
}

/** Request body of `setConsultationStatus` */
export type SetConsultationStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'OPEN' | 'CLOSED'
  /** Reason, kept in the history */
  reason?: string | null | undefined
}

/** Request body of `setDepositLowBelow` */
export type SetDepositLowBelowRequest = {
  /** An amount above zero in major units */
  amount: PaidAmount | null
}

/** Request body of `setEndorsementState` */
export type SetEndorsementStateRequest = {
  /** State or union territory */
  state: 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'
  /** Another first day than the one that was asked for */
  on?: PlainDate | null | undefined
  /** An amount in major units with at most two decimals */
  amount?: Money | null | undefined
  /** Your own number of it */
  provider_reference?: string | null | undefined
  /** Required with REFUSED */
  reason?: string | null | undefined
}

/** Request body of `setInsurancePolicyEnd` */
export type SetInsurancePolicyEndRequest = {
  /** The last covered day, in India */
  on: PlainDate
  /** Why it ends */
  code: 'CANCELLED' | 'FREE_LOOK' | 'LEFT' | 'DEATH' | 'UNPAID' | 'OTHER'
  /** Kept in the timeline; required of a day that is long over */
  reason?: string | null | undefined
  /** An amount in major units with at most two decimals */
  amount?: Money | null | undefined
}

/** Request body of `setInsurancePolicyMember` */
export type SetInsurancePolicyMemberRequest = {
  /**
   * First covered day; today, where a person who is not on the policy is sent without one. `null` takes back a
   * join that waits, and before the first issue the person
   */
  from?: PlainDate | null | undefined
  /** Last covered day; it holds at once. `null` takes it back, until it was accepted */
  to?: PlainDate | null | undefined
  /** Why the person joins or leaves */
  event?: 'BIRTH' | 'ADOPTION' | 'MARRIAGE' | 'DIVORCE' | 'DEATH' | 'AGE' | 'MISSED' | 'OTHER' | null | undefined
  /** Day of that event */
  event_on?: PlainDate | null | undefined
  /** What the person is to the user */
  relation?: 'SPOUSE' | 'CHILD' | 'PARENT' | 'PARENT_IN_LAW' | 'SIBLING' | 'OTHER' | null | undefined
  /** Gender */
  gender?: 'MALE' | 'FEMALE' | 'OTHER' | null | undefined
  /** Required for a day that is long over */
  reason?: string | null | undefined
}

/** Request body of `setInsurancePolicyNominee` */
export type SetInsurancePolicyNomineeRequest = {
  /** The dependant who is paid if the user dies */
  nominee_details?: NomineeDetails | null | undefined
}

/** Request body of `setInsurancePolicyStatus` */
export type SetInsurancePolicyStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED'
  /** Reason, kept in the history */
  reason?: string | null | undefined
  /** The benefit provider’s policy number; `null` until it is known */
  external_policy_id?: string | null | undefined
  /** The benefit provider’s group policy number; `null` until it is known */
  master_policy_number?: string | null | undefined
  /** Free-form data the benefit provider keeps with the policy */
  provider_metadata?: Record<string, unknown> | null | undefined
  /**
   * The next term has today’s price, length, renewal window and grace of the plan; left out, those of the
   * policy. Only where a term begins
   */
  plan_terms?: 'CURRENT' | null | undefined
  /**
   * The number in the status when you looked at the persons; required where they were corrected since the status
   * was last set
   */
  persons_version?: number | null | undefined
}

/** A notice in one language */
export type SetNoticeRequest = {
  /** What is processed, and why */
  items: readonly NoticeItem[]
  /** Where people withdraw a consent */
  withdraw_url: string
  /** Where people exercise their rights */
  rights_url: string
  /** Where people complain to the Data Protection Board */
  complaint_url: string
  /** Who responds to questions about personal data */
  contact: string
  /** The notice as people read it */
  text: string
}

/** Request body of `setPlatformStatus` */
export type SetPlatformStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'ACTIVE' | 'INACTIVE'
  /** Reason, kept in the history */
  reason?: string | null | undefined
}

/** Request body of `setRightsRequestState` */
export type SetRightsRequestStateRequest = {
  /** The new state */
  state: 'RECEIVED' | 'IN_PROGRESS' | 'ANSWERED' | 'REFUSED'
  /** The response to the person; REFUSED needs one */
  reason?: string | null | undefined
}

/** Request body of `setSponsorStatus` */
export type SetSponsorStatusRequest = {
  /** Current status; see the operation that sets it */
  status: 'PENDING' | 'ACTIVE' | 'INACTIVE'
  /** Reason, kept in the history */
  reason?: string | null | undefined
}

/** Request body of `setUserReference` */
export type SetUserReferenceRequest = {
  /** The platform’s own number of the person, such as their employee number */
  employee_number: string | null
}

/** Request body of `setWalletLimits` */
export type SetWalletLimitsRequest = {
  /** Limits of the platform’s wallets, by the day from which they hold */
  wallet_limits: readonly ({
  /** The first day India on which these limits hold, instead of the former ones */
  from_day: PlainDate
  /** Paise */
  balance?: Money | null | undefined
  /** Paise */
  credits_a_month?: Money | null | undefined
  /** Paise */
  credits_a_year?: Money | null | undefined
  /** Paise */
  debits_a_month?: Money | null | undefined
  /** Paise */
  debits_a_year?: Money | null | undefined
})[]
}

/** Request body of `setWebOrigins` */
export type SetWebOriginsRequest = {
  /** Origins of the platform’s web apps, as browsers send them */
  web_origins: readonly string[]
}

/** A person or organisation that pays for benefits */
export type Sponsor = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: SponsorId
  /** Readable name of the sponsor for URLs */
  slug: string
  /** Display name, in any script */
  name: string
  /** Permanent account number (PAN), the Indian tax id */
  pan: string
  address: Address
  sponsor_details: SponsorDetails
  /** Current status; see the operation that sets it */
  status: Open<'PENDING' | 'ACTIVE' | 'INACTIVE'>
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A sponsor was created. */
export type SponsorCreatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'sponsor.created'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `sponsor_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The sponsor */
  sponsor_id: SponsorId
}
}

/** Details of the sponsor; `sponsor_kind` says which */
export type SponsorDetails = IndividualSponsor | OrganisationSponsor

/** Details of the sponsor; `sponsor_kind` decides what is required */
export type SponsorDetailsInput = IndividualSponsorInput | OrganisationSponsorInput

/** A sponsor changed its status. */
export type SponsorStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'sponsor.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `sponsor_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The sponsor */
  sponsor_id: SponsorId
  /** Status before; `null` for a new record */
  from: Open<'PENDING' | 'ACTIVE' | 'INACTIVE'> | null
  /** Status after */
  to: Open<'PENDING' | 'ACTIVE' | 'INACTIVE'>
}
}

/** A sponsor was changed. */
export type SponsorUpdatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'sponsor.updated'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `sponsor_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The sponsor */
  sponsor_id: SponsorId
}
}

/** The states of a kind of record, and the transitions between them */
export type StateMachine = {
  /** The kind of record */
  name: Open<'insurance_policy' | 'endorsement' | 'rights_request' | 'account' | 'wallet' | 'wallet_at_operator' | 'consultation' | 'sponsor' | 'platform' | 'account_provider' | 'administrator'>
  /** The field of the record that holds the state */
  field: string
  /** State of a new record */
  initial: string
  /** Every state */
  states: readonly string[]
  /** Every transition; anything else is a 409 */
  transitions: readonly StateTransition[]
  /** Type of the event of each transition */
  event: Open<'user.created' | 'user.updated' | 'user.onboarded' | 'user.erasure_scheduled' | 'user.erasure_cancelled' | 'user.erased' | 'dependants.created' | 'dependant.updated' | 'consent.given' | 'consent.withdrawn' | 'consent.ended' | 'rights_request.status_changed' | 'policy.status_changed' | 'policy.corrected' | 'endorsement.status_changed' | 'policy.end_scheduled' | 'policy.end_withdrawn' | 'policy.renewal_due' | 'policy.term_started' | 'next_action.due' | 'deposit.low' | 'document.uploaded' | 'document.upload_deleted' | 'account.status_changed' | 'wallet.status_changed' | 'wallet.balance_changed' | 'consultation.status_changed' | 'consultation.message_created' | 'sponsor.created' | 'sponsor.updated' | 'sponsor.status_changed' | 'benefit.created' | 'benefit.updated' | 'benefit.deleted' | 'credential.created' | 'credential.revoked' | 'platform.status_changed' | 'account_provider.status_changed' | 'administrator.status_changed' | 'webhook_endpoint.enabled' | 'webhook_endpoint.disabled'>
}

/** A transition between two states */
export type StateTransition = {
  /** State before */
  from: string
  /** State after */
  to: string
  /**
   * Who may make it: callers, or the program itself, as a consequence of something else. Records add conditions:
   * `allowed_transitions` of a record is what its reader may do now
   */
  who: readonly (Open<'platform' | 'user' | 'benefit_provider' | 'viewer' | 'operator' | 'owner' | 'wallet_user' | 'admin_key' | 'program'>)[]
  /** Whether the program makes it on a day that the record determines */
  by_calendar: boolean
  /** Whether callers must give a reason */
  needs_reason: boolean
  /**
   * `true` for policies that were issued before, `false` for those that never were; `null` where it makes no
   * difference
   */
  was_issued: boolean | null
}

/** Counts by state, at most a minute old */
export type Statistics = {
  /** Time of counting; `null` until a worker has counted (UTC, written without a zone) */
  as_of: Instant | null
  /** Insurance policies by status, ended ones of erased people too */
  insurance_policies: {
  /** How many are PENDING */
  PENDING: number
  /** How many are VERIFICATION */
  VERIFICATION: number
  /** How many are APPROVED */
  APPROVED: number
  /** How many are ISSUED */
  ISSUED: number
  /** How many are REQUIRES_CUSTOMER_RENEWAL_IN_GRACE */
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: number
  /** How many are REQUIRES_POLICY_REISSUANCE */
  REQUIRES_POLICY_REISSUANCE: number
  /** How many are REQUIRES_CUSTOMER_RENEWAL */
  REQUIRES_CUSTOMER_RENEWAL: number
  /** How many are EXPIRED */
  EXPIRED: number
  /** How many are REJECTED */
  REJECTED: number
}
  /** Endorsements by state */
  endorsements: {
  /** How many are REQUESTED */
  REQUESTED: number
  /** How many are ACCEPTED */
  ACCEPTED: number
  /** How many are REFUSED */
  REFUSED: number
  /** How many are WITHDRAWN */
  WITHDRAWN: number
}
  /** Accounts by status */
  accounts: {
  /** How many are ACTIVE */
  ACTIVE: number
  /** How many are INACTIVE */
  INACTIVE: number
  /** How many are PENDING */
  PENDING: number
}
  /** Wallets by provisioning status */
  wallets: {
  /** How many are CREATED */
  CREATED: number
  /** How many are PENDING */
  PENDING: number
  /** How many are IN_PROGRESS */
  IN_PROGRESS: number
  /** How many are COMPLETED */
  COMPLETED: number
  /** How many are RETRYING */
  RETRYING: number
  /** How many are FAILED */
  FAILED: number
}
  /** Users who have completed onboarding, and who have not */
  users: {
  /** How many are ONBOARDED */
  ONBOARDED: number
  /** How many are NOT_ONBOARDED */
  NOT_ONBOARDED: number
}
  /** Events that have not been handed to webhook endpoints yet, counted up to 10,000 */
  events_waiting: number
  /** Deliveries to be sent, or sent again */
  webhook_deliveries_waiting: number
  /** What waits, and since when the first of it does. What nobody waits for is left out */
  waiting: readonly WaitingCount[]
  /**
   * Events of the last 24 hours, oldest first; the last hour is the one of `as_of`. After an upgrade from a
   * version without these counts, they are complete within minutes
   */
  events_by_hour: readonly EventsOfHour[]
}

/** A wallet access token and its refresh token */
export type TokenPair = {
  /** Send it as `Authorization: Bearer`. Opaque; contains no personal data */
  access_token: string
  /** Valid for one use; each refresh returns the next */
  refresh_token: string
  /** Unix seconds */
  access_token_expires_at: number
  /** Unix seconds */
  refresh_token_expires_at: number
  /** True in every 200 response */
  success: boolean
}

/** Request body of `updateAccountProvider` */
export type UpdateAccountProviderRequest = {
  /** Display name, in any script */
  name: string
}

/** Request body of `updateBenefitProvider` */
export type UpdateBenefitProviderRequest = {
  /** Display name, in any script */
  name?: string | undefined
  /** A structured address */
  address?: Address | null | undefined
  /** Used in documents. White text on it must be legible, with a contrast of at least 4.5 to 1 */
  colour?: string | null | undefined
}

/** Request body of `updateBenefit` */
export type UpdateBenefitRequest = {
  /** Display name, in any script */
  name?: string | undefined
  /** Plans users can enrol in */
  plans?: readonly PlanInput[] | undefined
}

/** Request body of `updateDependant` */
export type UpdateDependantRequest = {
  /** Date of birth */
  date_of_birth?: PlainDate | undefined
  /** Given name */
  first_name?: string | undefined
  /** Family name */
  last_name?: string | undefined
}

/** Request body of `updateSponsor` */
export type UpdateSponsorRequest = {
  address?: Address | undefined
  /** Display name, in any script */
  name?: string | undefined
  /** Permanent account number (PAN), the Indian tax id */
  pan?: string | undefined
  sponsor_details?: SponsorDetailsInput | undefined
}

/** Request body of `updateUser` */
export type UpdateUserRequest = {
  /** Dial code assigned by the ITU, with a leading plus */
  phone_country_code?: string | null | undefined
  /** Phone number without the dial code */
  phone_number?: string | null | undefined
  /** A structured address, free text, or a structured address with the original text in `raw` */
  address?: UserAddress | null | undefined
  /** Date of birth */
  dob?: PlainDate | null | undefined
  /** Email address */
  email?: string | null | undefined
  /** Given name */
  first_name?: string | null | undefined
  /** Family name */
  last_name?: string | null | undefined
  /** Gender */
  gender?: 'MALE' | 'FEMALE' | 'OTHER' | undefined
  /** Form of address (`MR`, `MS`, …) */
  title?: 'MR' | 'MRS' | 'MS' | 'MASTER' | undefined
}

/** Request body of `updateWebhookEndpoint` */
export type UpdateWebhookEndpointRequest = {
  /** URL that receives the events: https, on the public internet */
  url?: string | undefined
  /** Event types: single ones, a group (`policy.*`), or all (`*`) */
  event_types?: readonly string[] | undefined
  /** Description for people */
  description?: string | null | undefined
  /** Current status; see the operation that sets it */
  status?: 'ACTIVE' | 'DISABLED' | undefined
}

/** A user of a platform */
export type User = {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
  /** Dial code, with a leading plus; empty when the number was set free */
  phone_country_code: string
  /** Phone number without the dial code; empty when the number was set free */
  phone_number: string
  address?: UserAddress | undefined
  /** Date of birth */
  dob: PlainDate | null
  /** Email address */
  email: string | null
  /** Given name */
  first_name: string | null
  /** Family name */
  last_name: string | null
}

/** A structured address, free text, or a structured address with the original text in `raw` */
export type UserAddress = {
  /** First line of the street address */
  line1: string
  /** Second line of the street address */
  line2?: string | undefined
  /** City, town or village */
  city: string
  /** State or union territory */
  state: string
  /** Country */
  country: string
  /** Postal code */
  pincode: string
  /** The address as originally written */
  raw?: string | undefined
} | string

/** A user was created by issuing a token. */
export type UserCreatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'user.created'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
}
}

/**
 * A user was erased. Erase your own copies, and inform those who hold data of the user on your behalf. Each
 * benefit provider that had a policy of the user receives an event of its own, with the ids of these policies,
 * whatever their status.
 */
export type UserErasedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'user.erased'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The benefit provider that this event is for; left out in that of the platform */
  benefit_provider_id?: BenefitProviderId | undefined
  /** The policies with that benefit provider; left out in that of the platform */
  insurance_policy_ids?: readonly InsurancePolicyId[] | undefined
}
}

/** The erasure of a user was cancelled. */
export type UserErasureCancelledEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'user.erasure_cancelled'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
}
}

/** The erasure of a user was requested; it follows after the notice period. */
export type UserErasureScheduledEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'user.erasure_scheduled'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
}
}

/** Everything that is stored about a person */
export type UserExport = {
  /** URL of the JSON Schema of this document */
  schema: string
  /** Time of the export (UTC, written without a zone) */
  exported_at: Instant
  user: User
  /** Gender */
  gender: Open<'MALE' | 'FEMALE' | 'OTHER'> | null
  /** Form of address (`MR`, `MS`, …) */
  title: Open<'MR' | 'MRS' | 'MS' | 'MASTER'> | null
  /** The bank account that feeds the purpose-bound account */
  bank_details: BankDetails | null
  /** The last four characters of the id proof; no more of it is kept */
  id_proof_last4: string | null
  /** The platform’s own number of the person, such as their employee number */
  employee_number: string | null
  /** Every version of each */
  dependants: readonly Dependant[]
  /** Every policy, whatever its status */
  insurance_policies: readonly InsurancePolicy[]
  /** Changes of issued policies, whatever their state */
  endorsements: readonly ListedEndorsement[]
  /** Every end of a policy that was set, newest first */
  insurance_policy_ends: readonly InsurancePolicyEnd[]
  /** Every account, whatever its status */
  accounts: readonly Account[]
  /** Every conversation, newest first */
  consultations: readonly ExportedConsultation[]
  /** The wallet; `null` without one */
  wallet: Wallet | null
  /** Every booking, newest first */
  wallet_transactions: readonly WalletTransaction[]
  /** Every consent, also those that were withdrawn */
  consents: readonly Consent[]
  /** What the person asked of the platform by law */
  rights_requests: readonly RightsRequest[]
  /** Every benefit provider with access to the user */
  benefit_providers: readonly ExportedBenefitProvider[]
  /** Every upload for a policy, newest first */
  uploaded_documents: readonly ExportedUpload[]
  /** Every session of the wallet until it expires, newest first */
  sessions: readonly ExportedSession[]
  /** The erasure that will be executed; `null` without one */
  scheduled_erasure: ScheduledErasure | null
  /** Every status change of these records, oldest first */
  status_changes: readonly ExportedStatusChange[]
  /** Who read or changed the data, newest first */
  access_log: readonly AccessEntry[]
}

/** A user completed onboarding. */
export type UserOnboardedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'user.onboarded'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
}
}

/** The platform’s own number of a user */
export type UserReference = {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The platform’s own number of the person, such as their employee number */
  employee_number: string | null
}

/** The profile or phone number of a user changed. */
export type UserUpdatedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'user.updated'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `user_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
}
}

/** Request body of `verifyOtp` */
export type VerifyOtpRequest = {
  /** Id of the one-time code; send it along with the code */
  challenge_id: ChallengeId
  /** The six-digit one-time code */
  otp: string
}

/** What waits in a state */
export type WaitingCount = {
  /**
   * The list that it is in: `sent_back` holds the applications that wait for the platform, `consultations` those
   * that wait for a response of the benefit provider
   */
  list: Open<'insurance_policies' | 'sent_back' | 'consultations' | 'accounts' | 'wallets'>
  /** The state in which it waits */
  status: string
  /** How many wait */
  count: number
  /** Since when the one that has waited longest waits (UTC, written without a zone) */
  since: Instant
}

/** A wallet, held by the operator */
export type Wallet = {
  /** Id of the wallet, shared with the wallet partner */
  partner_wallet_id: WalletId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** Paise */
  balance: Money
  /** True if this request created the wallet */
  created: boolean
  /** Provisioning status */
  wallet_status: Open<'CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED'>
  /** The operator’s status; UNKNOWN until provisioned */
  wallet_status_partner: Open<'ACTIVE' | 'BLOCKED' | 'UNKNOWN'>
}

/** A credit or debit was booked. */
export type WalletBalanceChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'wallet.balance_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `wallet_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The `partner_wallet_id` */
  wallet_id: WalletId
  /** The booking */
  transaction_id: TransactionId
  /** Credit to the wallet or debit from it */
  transaction_type: Open<'CREDIT' | 'DEBIT'>
}
}

/** What the wallets of a platform may hold and book */
export type WalletLimits = {
  /** Limits of the platform’s wallets, by the day from which they hold */
  wallet_limits: readonly ({
  /** The first day India on which these limits hold, instead of the former ones */
  from_day: PlainDate
  /** Paise */
  balance: Money | null
  /** Paise */
  credits_a_month: Money | null
  /** Paise */
  credits_a_year: Money | null
  /** Paise */
  debits_a_month: Money | null
  /** Paise */
  debits_a_year: Money | null
})[]
}

/** Provisioning status of a wallet */
export type WalletStatus = {
  /** The `partner_wallet_id` */
  wallet_id: WalletId
  /** Provisioning status */
  wallet_status: Open<'CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED'>
}

/** A wallet was created, or its provisioning status or the operator’s status changed. */
export type WalletStatusChangedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'wallet.status_changed'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `wallet_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** The `partner_wallet_id` */
  wallet_id: WalletId
  /** Operator’s status before */
  partner_from: Open<'ACTIVE' | 'BLOCKED' | 'UNKNOWN'>
  /** Operator’s status now */
  partner_to: Open<'ACTIVE' | 'BLOCKED' | 'UNKNOWN'>
  /** Status before; `null` for a new record */
  from: Open<'CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED'> | null
  /** Status after */
  to: Open<'CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED'>
}
}

/** A booking on a wallet */
export type WalletTransaction = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: TransactionId
  /** Credit to the wallet or debit from it */
  transaction_type: Open<'CREDIT' | 'DEBIT'>
  /** Paise */
  amount: Money
  /** Paise */
  balance_after: Money
  /** Your id of the booking, unique per user */
  reference: string
  /** Purpose, for people */
  description: string | null
  /** Id of the booking that it gives back */
  refund_of?: string | null | undefined
  /** Time of booking (UTC, written without a zone) */
  created_at: Instant
}

/** A wallet, held by the operator, with its limits */
export type WalletWithLimits = {
  /** Id of the wallet, shared with the wallet partner */
  partner_wallet_id: WalletId
  /** The user; 12 digits, leading zeros are significant */
  user_id: UserId
  /** Paise */
  balance: Money
  /** True if this request created the wallet */
  created: boolean
  /** Provisioning status */
  wallet_status: Open<'CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED'>
  /** The operator’s status; UNKNOWN until provisioned */
  wallet_status_partner: Open<'ACTIVE' | 'BLOCKED' | 'UNKNOWN'>
  /** The limits that hold today; not there where nothing is limited */
  limits?: readonly ({
  /** What is limited; months and financial years are India’s */
  limit: Open<'balance' | 'credits_a_month' | 'credits_a_year' | 'debits_a_month' | 'debits_a_year'>
  /** Paise */
  amount: Money
  /** Paise */
  used: Money
  /** Paise */
  left: Money
  /** The day on which the count begins again; null for the balance */
  free_on: PlainDate | null
})[] | undefined
}

/** The origins of the web apps of a platform */
export type WebOrigins = {
  /** Origins of the platform’s web apps, as browsers send them */
  web_origins: readonly string[]
}

/** An attempt to deliver an event */
export type WebhookAttempt = {
  /** Time of the attempt (UTC, written without a zone) */
  at: Instant
  /** Status of the response; `null` if there was none */
  status: number | null
  /** Why there was no response */
  error: Open<'address_not_allowed' | 'name_not_found' | 'no_connection' | 'tls' | 'timeout'> | null
  /** Duration in milliseconds */
  duration_ms: number
  /** The first KiB of the response */
  response: string | null
}

/** The delivery of an event to an endpoint */
export type WebhookDelivery = {
  /** Id of the event, sent to the receiver as `webhook-id` */
  id: DeliveryId
  /** Type of the event */
  event_type: string
  /** `PENDING` until the receiver responds with 2xx; `FAILED` after ten attempts */
  status: Open<'PENDING' | 'DELIVERED' | 'FAILED'>
  /** The last twenty attempts, oldest first */
  attempts: readonly WebhookAttempt[]
  /** Earliest time of the next attempt (UTC, written without a zone) */
  next_attempt_at: Instant | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
}

/** An endpoint that receives events */
export type WebhookEndpoint = {
  /** Opaque id, used in URLs. Ids ascend in time */
  id: WebhookEndpointId
  /** URL that receives the events: https, on the public internet */
  url: string
  /** Event types: single ones, a group (`policy.*`), or all (`*`) */
  event_types: readonly string[]
  /** Description for people */
  description: string | null
  /** Current status; see the operation that sets it */
  status: Open<'ACTIVE' | 'DISABLED'>
  /** `requested` by its owner, `failing` for five days, or `gone` (it responded with 410) */
  disabled_reason: Open<'requested' | 'failing' | 'gone'> | null
  /** Time of creation (UTC, written without a zone) */
  created_at: Instant
  /** Time of the last change (UTC, written without a zone) */
  last_modified_at: Instant
}

/** A webhook endpoint was disabled: by its owner, after failing for five days, or after responding with 410. */
export type WebhookEndpointDisabledEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'webhook_endpoint.disabled'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `webhook_endpoint_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The webhook endpoint */
  webhook_endpoint_id: WebhookEndpointId
  /** Kind of owner: a platform, a benefit provider, or the administrators together */
  owner_kind: Open<'platform'> | Open<'provider'> | Open<'administrators'>
  /** Id of the owner */
  owner_id: string
  /** Reason: `requested` by its owner, `failing` for five days, or `gone` (it responded with 410) */
  reason: Open<'requested' | 'failing' | 'gone'>
}
}

/** A webhook endpoint was created or enabled again. */
export type WebhookEndpointEnabledEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'webhook_endpoint.enabled'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `webhook_endpoint_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The webhook endpoint */
  webhook_endpoint_id: WebhookEndpointId
  /** Kind of owner: a platform, a benefit provider, or the administrators together */
  owner_kind: Open<'platform'> | Open<'provider'> | Open<'administrators'>
  /** Id of the owner */
  owner_id: string
}
}

/** A test of a webhook endpoint was requested. Only that endpoint receives it. */
export type WebhookEndpointTestedEvent = {
  /** Id of the event, the same in lists and webhooks */
  id: EventId
  /** Type of the event */
  type: 'webhook_endpoint.tested'
  /** Time of the event (RFC 3339, UTC, with milliseconds) */
  timestamp: Instant
  /** Id of the record the event is about: the `webhook_endpoint_id` in `data` */
  subject: string
  /** The platform the event belongs to; `null` if none */
  platform_id: PlatformId | null
  /** Ids, types, states, names of fields and days of a term; no personal data */
  data: {
  /** The webhook endpoint */
  webhook_endpoint_id: WebhookEndpointId
}
}

/** Result of a replay */
export type WebhookReplay = {
  /** Number of events queued */
  queued: number
}
