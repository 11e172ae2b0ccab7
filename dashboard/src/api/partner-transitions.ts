import { TRANSITIONS } from '../generated/tables.ts'
import { described } from './transitions.ts'

export const PLATFORM_TRANSITIONS = described(TRANSITIONS.platform, {
  'ACTIVE → INACTIVE': {
    label: 'Disable',
    effect: 'Within a second, every token of the partner and of its users stops working.',
    isDangerous: true,
  },
  'INACTIVE → ACTIVE': {
    label: 'Enable',
    effect: 'Its credentials work again. Tokens from before do not: users need new ones.',
  },
})

const DEACTIVATE = {
  label: 'Deactivate',
  effect: 'Nobody can be enrolled in its benefits any more. It can be activated again.',
  isDangerous: true,
} as const

export const SPONSOR_TRANSITIONS = described(TRANSITIONS.sponsor, {
  'PENDING → ACTIVE': { label: 'Activate', effect: 'The review is done: its details are right.' },
  'PENDING → INACTIVE': DEACTIVATE,
  'ACTIVE → INACTIVE': DEACTIVATE,
  'INACTIVE → ACTIVE': { label: 'Activate', effect: 'People can be enrolled in its benefits again.' },
})

export const ADMINISTRATOR_TRANSITIONS = described(TRANSITIONS.administrator, {
  'ACTIVE → DISABLED': {
    label: 'Disable',
    effect: 'All sessions end within a second, and no login works until the person is enabled again.',
    isDangerous: true,
  },
  'DISABLED → ACTIVE': { label: 'Enable', effect: 'The person can log in again.' },
})
