import { ProblemError } from '../kernel/problem-error.ts'
import { type Caller, type CallerKind, findSession } from './caller.ts'
import type { AccessRow } from './matrix.ts'

/** The kinds of callers with a credential, as responses name them. */
export const KIND_NAMES = [
  'platform',
  'user',
  'benefit_provider',
  'viewer',
  'operator',
  'owner',
  'wallet_user',
  'admin_key',
] as const
type KindName = (typeof KIND_NAMES)[number]

const PERSON_NAMES = ['platform_person', 'benefit_provider_person'] as const

/** People of a partner have the rights of their company, and are named where they may call and their company may not. */
export const CALLER_NAMES = [...KIND_NAMES, ...PERSON_NAMES] as const
export type CallerName = (typeof CALLER_NAMES)[number]

/** Who may call an operation, and whether only for records of its own. */
export type Permission = { caller: CallerName; own_records_only: boolean }

/** People of a partner have its rights, and what concerns their own session. */
export const mayCall = (caller: Caller, { grants, isOfSession }: AccessRow): boolean =>
  caller.kind !== 'anyone' &&
  caller.kind !== 'system' &&
  (grants[caller.kind] !== undefined || (isOfSession === true && findSession(caller) !== undefined))

/** Lists who may call, from the row that `mayCall` reads. */
export function listPermissions({ grants, isOfSession }: AccessRow): Permission[] {
  const granted = Object.entries(grants).flatMap(([kind, grant]) =>
    namesOf(kind as CallerKind).map((caller) => ({ caller, own_records_only: grant === 'own' })),
  )
  if (!isOfSession) return granted
  return [...granted, ...PERSON_NAMES.map((caller) => ({ caller, own_records_only: true }))]
}

export const listCallers = (row: AccessRow): CallerName[] => listPermissions(row).map(({ caller }) => caller)

/** Returns the kind as responses name it; nobody with a credential is of a kind without a name. */
export function namesOf(kind: CallerKind): KindName[] {
  switch (kind) {
    case 'provider':
      return ['benefit_provider']
    case 'anyone':
    case 'system':
      return []
    case 'platform':
    case 'user':
    case 'viewer':
    case 'operator':
    case 'owner':
    case 'wallet_user':
    case 'admin_key':
      return [kind]
  }
}

/** Creates the 403 of a caller of the wrong kind: it says which kinds may. */
export function wrongCaller(kind: CallerKind, required: readonly CallerName[]): ProblemError {
  const [caller] = namesOf(kind)
  return new ProblemError('forbidden', 'Your role may not call this operation.', { members: { required, caller } })
}
