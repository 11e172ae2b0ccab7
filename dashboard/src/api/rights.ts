import { ADMINISTRATORS, type Role, ROLES, WRITERS } from './roles.ts'

const SUPPORT = ['platform', ...ADMINISTRATORS] as const
const CHANGERS = ['platform', ...WRITERS] as const

/**
 * Who may call an operation, as the service’s own matrix has it. What a role may not do is not shown; the service
 * decides in each case.
 */
export const RIGHTS = {
  listPlatforms: ADMINISTRATORS,
  listBenefitProviders: ROLES,
  listSponsors: SUPPORT,
  listBenefits: ROLES,
  listAdministrators: ['owner'],
  readUser: SUPPORT,
  updateUser: CHANGERS,
  exportUser: ['platform', 'owner'],
  previewUserErasure: ['platform', 'owner'],
  eraseUser: ['platform', 'owner'],
  cancelErasure: ['platform', 'owner'],
  listDependants: SUPPORT,
  createDependants: CHANGERS,
  updateDependant: CHANGERS,
  listAllAccounts: SUPPORT,
  setAccountStatus: WRITERS,
  listAllWallets: SUPPORT,
  retryWallet: WRITERS,
  creditWallet: CHANGERS,
  debitWallet: CHANGERS,
  listOneTimeCodes: CHANGERS,
  listAccessLog: ['platform', 'owner'],
  listAllConsultations: ['platform', 'benefit_provider', 'owner'],
  listConsultations: ['platform', 'benefit_provider', 'owner'],
  listMessages: ['platform', 'benefit_provider', 'owner'],
  createMessage: ['platform', 'benefit_provider'],
  setConsultationStatus: ['platform', 'benefit_provider'],
} as const satisfies Record<string, readonly Role[]>

export type Right = keyof typeof RIGHTS

export const may = (role: Role, right: Right): boolean => (RIGHTS[right] as readonly Role[]).includes(role)
