import { administratorId, plainDate } from '@banyan/client'
import type { AssigneeFilter, PolicyFilter } from '../api/policies.ts'
import type { PolicyState } from '../api/policy-transitions.ts'
import { daysAfter, today } from './texts.ts'
import { knownIn, textIn, type UrlState } from './url-search.ts'

export const POLICY_STATES = [
  'PENDING',
  'VERIFICATION',
  'APPROVED',
  'ISSUED',
  'REQUIRES_POLICY_REISSUANCE',
  'REQUIRES_CUSTOMER_RENEWAL',
  'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  'EXPIRED',
  'REJECTED',
] as const satisfies readonly PolicyState[]

/** The states in which nobody has to act. */
const IDLE: readonly string[] = ['ISSUED', 'EXPIRED', 'REJECTED']

export const isWaiting = (state: string): boolean => !IDLE.includes(state)

/** How far ahead the calendar’s next transition may be, by days. */
export const DUE = [
  { value: '', label: 'Any day' },
  { value: '7', label: 'Within 7 days' },
  { value: '30', label: 'Within 30 days' },
] as const

/** Whose work is listed. */
export const ASSIGNEES = [
  { value: '', label: 'Everybody’s' },
  { value: 'me', label: 'Mine' },
  { value: 'none', label: 'Nobody’s' },
] as const

/** Of everybody’s, one’s own, nobody’s, or a person’s by id; the empty text is everybody’s. */
function assigneeIn(text: string): AssigneeFilter | '' {
  if (text.startsWith('adm_')) return administratorId(text)
  return ASSIGNEES.find(({ value }) => value === text)?.value ?? ''
}

/** What an address of the list of policies asks for. */
export function policyListIn(state: UrlState) {
  const status = knownIn(state['status'], POLICY_STATES)
  const due = DUE.find(({ value }) => value === state['due'])?.value ?? ''
  const assignee = assigneeIn(textIn(state['assignee']) ?? '')
  const isSentBack = state['sent_back'] === 'true' && due === ''
  /** What has a day of the calendar comes in that order, and what nobody waits for in none. */
  const canBeOldestFirst = due === '' && !isSentBack && status.every(isWaiting)
  const isOldestFirst = canBeOldestFirst && state['order'] === 'oldest'
  const filter: PolicyFilter = {
    status,
    ...(due !== '' && { due_before: plainDate(daysAfter(today(), Number(due) + 1)) }),
    ...(isOldestFirst && { order: 'oldest' as const }),
    ...(isSentBack && { sent_back: 'true' as const }),
    ...(assignee !== '' && { assignee }),
  }
  return { filter, status, due, assignee, isSentBack, canBeOldestFirst, isOldestFirst }
}
