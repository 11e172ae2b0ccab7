import type { AdministratorId, ImportId, UserId, WebhookEndpointId } from '@banyan/client'
import type {
  ListAllAccountsQuery,
  ListAllConsultationsQuery,
  ListAllWalletsQuery,
  ListAuditLogQuery,
  ListDepositEntriesQuery,
  ListEndorsementsQuery,
  ListExposureQuery,
  ListImportRowsQuery,
  ListUserWalletTransactionsQuery,
} from '@banyan/client/operations'
import { banyan } from './banyan.ts'
import type { AdministratorStatus } from './administrators.ts'
import type { DepositRef } from './deposits.ts'
import type { EventFilter } from './events.ts'
import type { BenefitStatus, PlatformStatus, SponsorStatus } from './partners.ts'
import type { PolicyFilter } from './policies.ts'
import type { DeliveryStatus } from './webhooks.ts'

/** Longer than a page may take: it is the whole list. */
const LONG = { timeout: 15 * 60_000 } as const

type Days = Pick<ListUserWalletTransactionsQuery, 'from' | 'to'>
type Why = { purpose: string }

/** Each list of the screens as CSV, with the filters that the screen has. */
export const csvOf = {
  accounts: (filter: ListAllAccountsQuery) => banyan.accounts.list(filter, LONG).csv(),
  administrators: (status: readonly AdministratorStatus[]) => banyan.administrators.list({ status }, LONG).csv(),
  audit: (filter: ListAuditLogQuery) => banyan.auditLog.list({ ...filter, order: 'desc' }, LONG).csv(),
  benefitProviders: () => banyan.benefitProviders.list({}, LONG).csv(),
  benefits: (status: readonly BenefitStatus[]) => banyan.benefits.list({ status }, LONG).csv(),
  consultations: (filter: ListAllConsultationsQuery) => banyan.consultations.list(filter, LONG).csv(),
  deliveries: (id: WebhookEndpointId, status: readonly DeliveryStatus[]) =>
    banyan.webhookEndpoints.listDeliveries(id, { status }, LONG).csv(),
  depositEntries: ({ sponsorId, providerId }: DepositRef, days: Pick<ListDepositEntriesQuery, 'from' | 'to'>) =>
    banyan.sponsors.listDepositEntries(sponsorId, providerId, days, LONG).csv(),
  endorsements: (filter: ListEndorsementsQuery) => banyan.endorsements.list(filter, LONG).csv(),
  events: (filter: EventFilter) => banyan.events.list({ ...filter, order: 'desc' }, LONG).csv(),
  exposure: (filter: ListExposureQuery) => banyan.exposure.list(filter, LONG).csv(),
  importRows: (id: ImportId, outcome: ListImportRowsQuery['outcome']) =>
    banyan.imports.listRows(id, { outcome }, LONG).csv(),
  platforms: (status: readonly PlatformStatus[]) => banyan.platforms.list({ status }, LONG).csv(),
  policies: (filter: PolicyFilter) => banyan.policies.list(filter, LONG).csv(),
  sessions: (id: AdministratorId) => banyan.administrators.listSessions(id, {}, LONG).csv(),
  sponsors: (status: readonly SponsorStatus[]) => banyan.sponsors.list({ status }, LONG).csv(),
  wallets: (filter: ListAllWalletsQuery) => banyan.wallets.list(filter, LONG).csv(),
  ofPerson: {
    access: (id: UserId) => banyan.user(id).listAccessLog({}, LONG).csv(),
    accounts: (id: UserId) => banyan.user(id).accounts.list({}, LONG).csv(),
    codes: (id: UserId, why: Why) =>
      banyan
        .user(id)
        .oneTimeCodes.list({}, { ...LONG, ...why })
        .csv(),
    consents: (id: UserId, why: Why) =>
      banyan
        .user(id)
        .consents.list({}, { ...LONG, ...why })
        .csv(),
    consultations: (id: UserId) => banyan.user(id).consultations.list({}, LONG).csv(),
    dependants: (id: UserId, why: Why) =>
      banyan
        .user(id)
        .dependants.list({}, { ...LONG, ...why })
        .csv(),
    ledger: (id: UserId, days: Days, why: Why) =>
      banyan
        .user(id)
        .wallet.listTransactions(days, { ...LONG, ...why })
        .csv(),
    rightsRequests: (id: UserId, why: Why) =>
      banyan
        .user(id)
        .rightsRequests.list({}, { ...LONG, ...why })
        .csv(),
    policies: (id: UserId, why: Why) =>
      banyan
        .user(id)
        .policies.list({}, { ...LONG, ...why })
        .csv(),
  },
} as const
