import type { EventType, Transition } from '../../../record/index.ts'
import { CONSULTATION_MACHINE, CONSULTATION_STATUSES } from '../../care/consultations/index.ts'
import { ENDORSEMENT_MACHINE, ENDORSEMENT_STATES } from '../../cover/endorsements/index.ts'
import { CALENDAR_STEPS, POLICY_MACHINE, POLICY_STATUSES } from '../../cover/policies/index.ts'
import { ACCOUNT_MACHINE, ACCOUNT_STATUSES } from '../../money/accounts/index.ts'
import {
  PARTNER_STATUSES,
  PARTNER_TRANSITIONS,
  WALLET_STATUSES,
  WALLET_TRANSITIONS,
} from '../../money/wallets/index.ts'
import { ACCOUNT_PROVIDER_MACHINE, ACCOUNT_PROVIDER_STATUSES } from '../../partners/account-providers/index.ts'
import { PLATFORM_MACHINE, PLATFORM_STATUSES } from '../../partners/platforms/index.ts'
import { SPONSOR_MACHINE, SPONSOR_STATUSES } from '../../partners/sponsors/index.ts'
import { RIGHTS_MACHINE, RIGHTS_STATES } from '../../people/rights-requests/index.ts'
import { ADMINISTRATOR_MACHINE, ADMINISTRATOR_STATUSES } from '../administrators/index.ts'

/** A transition with the conditions that only policies have. */
type TransitionRow = Transition & { readonly needsReason?: true; readonly wasIssued?: boolean }

/** The table that guards the field of a kind of record, with its event. */
export type StateMachine = {
  field: string
  states: readonly string[]
  initial: string
  table: readonly TransitionRow[]
  event: EventType
  /** What the calendar makes without anybody's request. */
  byCalendar?: readonly { from: string; to: string }[]
}

/** Every table that guards a state, by the name of the record. */
export const MACHINES = {
  insurance_policy: {
    field: 'status',
    states: POLICY_STATUSES,
    initial: 'PENDING',
    byCalendar: CALENDAR_STEPS,
    ...POLICY_MACHINE,
  },
  endorsement: { field: 'state', states: ENDORSEMENT_STATES, initial: 'REQUESTED', ...ENDORSEMENT_MACHINE },
  rights_request: { field: 'state', states: RIGHTS_STATES, initial: 'RECEIVED', ...RIGHTS_MACHINE },
  account: { field: 'status', states: ACCOUNT_STATUSES, initial: 'PENDING', ...ACCOUNT_MACHINE },
  wallet: {
    field: 'wallet_status',
    states: WALLET_STATUSES,
    initial: 'CREATED',
    table: WALLET_TRANSITIONS,
    event: 'wallet.status_changed',
  },
  wallet_at_operator: {
    field: 'wallet_status_partner',
    states: PARTNER_STATUSES,
    initial: 'UNKNOWN',
    table: PARTNER_TRANSITIONS,
    event: 'wallet.status_changed',
  },
  consultation: { field: 'status', states: CONSULTATION_STATUSES, initial: 'OPEN', ...CONSULTATION_MACHINE },
  sponsor: { field: 'status', states: SPONSOR_STATUSES, initial: 'PENDING', ...SPONSOR_MACHINE },
  platform: { field: 'status', states: PLATFORM_STATUSES, initial: 'ACTIVE', ...PLATFORM_MACHINE },
  account_provider: {
    field: 'status',
    states: ACCOUNT_PROVIDER_STATUSES,
    initial: 'active',
    ...ACCOUNT_PROVIDER_MACHINE,
  },
  administrator: { field: 'status', states: ADMINISTRATOR_STATUSES, initial: 'ACTIVE', ...ADMINISTRATOR_MACHINE },
} as const satisfies Record<string, StateMachine>

export type MachineName = keyof typeof MACHINES
export const MACHINE_NAMES = Object.keys(MACHINES) as MachineName[]
