// Generated from openapi.json by `npm run generate`. Do not edit.

declare const kind: unique symbol

/**
 * An id of one kind: a string that is not accepted where an id of another kind is expected. Ids are opaque. For one that
 * you stored, call the function of the same name: `userId(row.user_id)`.
 */
export type Id<Kind extends string> = string & { readonly [kind]: Kind }

export type AccountId = Id<'AccountId'>
export const accountId = (text: string): AccountId => text as AccountId

export type AccountProviderId = Id<'AccountProviderId'>
export const accountProviderId = (text: string): AccountProviderId => text as AccountProviderId

export type AdministratorId = Id<'AdministratorId'>
export const administratorId = (text: string): AdministratorId => text as AdministratorId

export type AuditEntryId = Id<'AuditEntryId'>
export const auditEntryId = (text: string): AuditEntryId => text as AuditEntryId

export type BenefitId = Id<'BenefitId'>
export const benefitId = (text: string): BenefitId => text as BenefitId

export type BenefitProviderId = Id<'BenefitProviderId'>
export const benefitProviderId = (text: string): BenefitProviderId => text as BenefitProviderId

export type ChallengeId = Id<'ChallengeId'>
export const challengeId = (text: string): ChallengeId => text as ChallengeId

export type ComparisonId = Id<'ComparisonId'>
export const comparisonId = (text: string): ComparisonId => text as ComparisonId

export type ConsentId = Id<'ConsentId'>
export const consentId = (text: string): ConsentId => text as ConsentId

export type ConsultationId = Id<'ConsultationId'>
export const consultationId = (text: string): ConsultationId => text as ConsultationId

export type CredentialId = Id<'CredentialId'>
export const credentialId = (text: string): CredentialId => text as CredentialId

export type DataId = Id<'DataId'>
export const dataId = (text: string): DataId => text as DataId

export type DeliveryId = Id<'DeliveryId'>
export const deliveryId = (text: string): DeliveryId => text as DeliveryId

export type DependantId = Id<'DependantId'>
export const dependantId = (text: string): DependantId => text as DependantId

export type DepositId = Id<'DepositId'>
export const depositId = (text: string): DepositId => text as DepositId

export type EndorsementId = Id<'EndorsementId'>
export const endorsementId = (text: string): EndorsementId => text as EndorsementId

export type EntryId = Id<'EntryId'>
export const entryId = (text: string): EntryId => text as EntryId

export type EventId = Id<'EventId'>
export const eventId = (text: string): EventId => text as EventId

export type ImportId = Id<'ImportId'>
export const importId = (text: string): ImportId => text as ImportId

export type InsurancePolicyId = Id<'InsurancePolicyId'>
export const insurancePolicyId = (text: string): InsurancePolicyId => text as InsurancePolicyId

export type MembersId = Id<'MembersId'>
export const membersId = (text: string): MembersId => text as MembersId

export type MessageId = Id<'MessageId'>
export const messageId = (text: string): MessageId => text as MessageId

export type PersonId = Id<'PersonId'>
export const personId = (text: string): PersonId => text as PersonId

export type PlatformId = Id<'PlatformId'>
export const platformId = (text: string): PlatformId => text as PlatformId

export type PolicyId = Id<'PolicyId'>
export const policyId = (text: string): PolicyId => text as PolicyId

export type RecordId = Id<'RecordId'>
export const recordId = (text: string): RecordId => text as RecordId

export type RightsRequestId = Id<'RightsRequestId'>
export const rightsRequestId = (text: string): RightsRequestId => text as RightsRequestId

export type ScheduledEndorsementId = Id<'ScheduledEndorsementId'>
export const scheduledEndorsementId = (text: string): ScheduledEndorsementId => text as ScheduledEndorsementId

export type SessionId = Id<'SessionId'>
export const sessionId = (text: string): SessionId => text as SessionId

export type SponsorId = Id<'SponsorId'>
export const sponsorId = (text: string): SponsorId => text as SponsorId

export type SubjectId = Id<'SubjectId'>
export const subjectId = (text: string): SubjectId => text as SubjectId

export type TransactionId = Id<'TransactionId'>
export const transactionId = (text: string): TransactionId => text as TransactionId

export type UserId = Id<'UserId'>
export const userId = (text: string): UserId => text as UserId

export type WalletId = Id<'WalletId'>
export const walletId = (text: string): WalletId => text as WalletId

export type WebhookEndpointId = Id<'WebhookEndpointId'>
export const webhookEndpointId = (text: string): WebhookEndpointId => text as WebhookEndpointId
