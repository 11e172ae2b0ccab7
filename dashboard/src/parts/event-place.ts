import type { Event } from '@banyan/client'
import { may } from '../api/rights.ts'
import type { Role } from '../api/roles.ts'
import { places } from './places.ts'

/** Where the record that an event is about is shown to a role; undefined when it has no screen of its own there. */
export function eventPlaceOf(event: Event, role: Role): string | undefined {
  const data = event.data as Readonly<Record<string, unknown>>
  const text = (name: string): string | undefined => (typeof data[name] === 'string' ? data[name] : undefined)
  const [userId, policyId, consultationId] = ['user_id', 'insurance_policy_id', 'consultation_id'].map(text)
  if (event.type === 'deposit.low') return places.deposit(event.data.sponsor_id, event.data.benefit_provider_id)
  if (userId === undefined) return undefined
  if (policyId !== undefined) return places.policy(userId, policyId)
  if (consultationId !== undefined)
    return may(role, 'listMessages') ? places.consultation(userId, consultationId) : undefined
  return may(role, 'readUser') ? places.person(userId) : undefined
}
