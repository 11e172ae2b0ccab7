import type { Role } from './roles.ts'
import { WRITERS } from './roles.ts'

/** A transition that a person makes, with what follows from it. */
export type PartnerTransition<State extends string> = {
  from: State
  to: State
  label: string
  effect: string
  who: readonly Role[]
  isDangerous?: true
}

export const PLATFORM_TRANSITIONS = [
  {
    from: 'ACTIVE',
    to: 'INACTIVE',
    who: WRITERS,
    label: 'Disable',
    effect: 'Within a second, every token of the partner and of its users stops working.',
    isDangerous: true,
  },
  {
    from: 'INACTIVE',
    to: 'ACTIVE',
    who: WRITERS,
    label: 'Enable',
    effect: 'Its credentials work again. Tokens from before do not: users need new ones.',
  },
] as const satisfies readonly PartnerTransition<'ACTIVE' | 'INACTIVE'>[]

const ACTIVATE = { to: 'ACTIVE', who: WRITERS, label: 'Activate' } as const
const DEACTIVATE = {
  to: 'INACTIVE',
  who: WRITERS,
  label: 'Deactivate',
  effect: 'Nobody can be enrolled in its benefits any more. It can be activated again.',
  isDangerous: true,
} as const

export const SPONSOR_TRANSITIONS = [
  { from: 'PENDING', ...ACTIVATE, effect: 'The review is done: its details are right.' },
  { from: 'PENDING', ...DEACTIVATE },
  { from: 'ACTIVE', ...DEACTIVATE },
  { from: 'INACTIVE', ...ACTIVATE, effect: 'People can be enrolled in its benefits again.' },
] as const satisfies readonly PartnerTransition<'PENDING' | 'ACTIVE' | 'INACTIVE'>[]

export const ADMINISTRATOR_TRANSITIONS = [
  {
    from: 'ACTIVE',
    to: 'DISABLED',
    who: ['owner'],
    label: 'Disable',
    effect: 'All sessions end within a second, and no login works until the person is enabled again.',
    isDangerous: true,
  },
  { from: 'DISABLED', to: 'ACTIVE', who: ['owner'], label: 'Enable', effect: 'The person can log in again.' },
] as const satisfies readonly PartnerTransition<'ACTIVE' | 'DISABLED'>[]
