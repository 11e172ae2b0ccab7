import { WRITING_ADMINISTRATORS } from '../../../access/caller.ts'
import type { Transition } from '../../../record/index.ts'

export const WALLET_STATUSES = ['CREATED', 'PENDING', 'IN_PROGRESS', 'COMPLETED', 'RETRYING', 'FAILED'] as const
export type WalletStatus = (typeof WALLET_STATUSES)[number]

/** The operator's statuses of a wallet. */
export const HELD_STATUSES = ['ACTIVE', 'BLOCKED'] as const

/** UNKNOWN exactly while provisioning is not COMPLETED; a check constraint enforces it too. */
export const PARTNER_STATUSES = [...HELD_STATUSES, 'UNKNOWN'] as const
export type PartnerStatus = (typeof PARTNER_STATUSES)[number]

const system = ['system'] as const

/** Provisioning. */
export const WALLET_TRANSITIONS: readonly Transition<WalletStatus>[] = [
  { from: 'CREATED', to: 'PENDING', who: ['wallet_user'] }, // starts the job
  { from: 'PENDING', to: 'IN_PROGRESS', who: system }, // the operator is being called
  { from: 'IN_PROGRESS', to: 'COMPLETED', who: system },
  { from: 'IN_PROGRESS', to: 'RETRYING', who: system }, // no clear response: looked up before creating again
  { from: 'IN_PROGRESS', to: 'FAILED', who: system }, // rejected by the operator
  { from: 'RETRYING', to: 'IN_PROGRESS', who: system },
  { from: 'RETRYING', to: 'FAILED', who: system }, // too many tries, or too long
  { from: 'FAILED', to: 'PENDING', who: ['wallet_user', ...WRITING_ADMINISTRATORS] }, // provisioned again
  { from: 'IN_PROGRESS', to: 'PENDING', who: system }, // the worker died
]

/** Status changes reported by the operator. */
export const PARTNER_TRANSITIONS: readonly Transition<PartnerStatus>[] = [
  { from: 'UNKNOWN', to: 'ACTIVE', who: system },
  { from: 'UNKNOWN', to: 'BLOCKED', who: system },
  { from: 'ACTIVE', to: 'BLOCKED', who: system },
  { from: 'BLOCKED', to: 'ACTIVE', who: system },
]
