import { type Clock, todayIn } from '../kernel/clock.ts'
import { addMonths, type Day } from '../kernel/date.ts'
import { json } from '../kernel/db/columns.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { type ConflictReason, ProblemError } from '../kernel/problem-error.ts'
import type { OperationName } from './matrix.ts'
import { platformSetting } from './platform-setting.ts'

/** What people consent to, each for itself. */
export const CONSENT_PURPOSES = ['insurance', 'children', 'care', 'wallet', 'accounts'] as const
export type ConsentPurpose = (typeof CONSENT_PURPOSES)[number]

/** The operations that begin something new for a purpose. A test walks all others, each with the reason why it is none. */
export const PURPOSE_OF = {
  enrolInsurancePolicy: 'insurance',
  setInsurancePolicyMember: 'insurance', // who joins
  createDependants: 'children', // those below 18
  updateDependant: 'children', // one who turns out to be below 18
  createConsultation: 'care',
  createWallet: 'wallet',
  retryWallet: 'wallet', // one that never was
  retryWallets: 'wallet',
  createAccount: 'accounts',
  completeOnboarding: 'accounts',
} as const satisfies Partial<Record<OperationName, ConsentPurpose>>

export const CONSENT_GROUNDS = ['CONSENT', 'LEGITIMATE_USE'] as const

/** On which ground of the Act a platform processes for a purpose, and from which day that is enforced. */
export type ConsentRule = { ground: (typeof CONSENT_GROUNDS)[number]; section: string | null; from: Day }
export type ConsentRules = Partial<Record<ConsentPurpose, ConsentRule>> & {
  /** Within how many days the platform responds to requests by the Act. */
  response_days?: number
}

/** The rules of each platform. */
export const CONSENT_RULES = platformSetting(json<ConsentRules, 'consent_rules'>('consent_rules'), '{}')

/** How consents are found; they are a domain above, so it is passed in. */
type FindConsents = {
  /**
   * Returns the newest consent of a user for a purpose that counts today: not withdrawn, not about a dependant, and given by the user once
   * the user is 18.
   */
  findGiven: (
    reader: { db: Queryable; vault: Vault },
    given: { userId: string; purpose: ConsentPurpose; today: Day },
  ) => Promise<{ at: Date } | undefined>
  /** Returns the current versions of the dependants who have consented for themselves, and have not withdrawn it. */
  findSelfGiven: (db: Queryable, given: { userId: string; purpose: ConsentPurpose }) => Promise<ReadonlySet<string>>
}

export type ConsentRulesInMemory = ReturnType<typeof createConsentRules>

/** Keeps the rules of platforms in memory, with how a consent is found. */
export function createConsentRules(db: Queryable, finders: FindConsents) {
  const { of: rulesOf, ...memory } = CONSENT_RULES.createMemory(db)
  return { ...memory, rulesOf, ...finders }
}

/** A consent `children` holds for those who are registered within so long of it. */
export const CHILDREN_HOLD_MS = 24 * 60 * 60 * 1_000

type Question = { purpose: ConsentPurpose; rule: ConsentRule | undefined; today: Day; at: Date }

/** Whether a platform has to show a consent for this purpose today. Pure. */
export const needsConsent = ({ rule, today }: Pick<Question, 'rule' | 'today'>): boolean =>
  rule !== undefined && rule.ground === 'CONSENT' && rule.from <= today

/**
 * Decides whether something new may begin for a purpose, on the newest consent that is not withdrawn. Pure. Returns the 409 `conflict`
 * when it may not.
 */
export function decideConsent(asked: Question, given: { at: Date } | undefined): ProblemError | undefined {
  if (!needsConsent(asked)) return undefined
  const { purpose, at } = asked
  if (given === undefined) return consentMissing(purpose, NONE)
  const isTooOld = purpose === 'children' && at.getTime() - given.at.getTime() > CHILDREN_HOLD_MS
  return isTooOld ? consentMissing(purpose, TOO_OLD) : undefined
}

const NONE = 'The person has given no consent for this purpose, or has withdrawn it.'
const TOO_OLD = 'The consent for children is older than 24 hours. It has to be given again for those registered now.'

const REASON: ConflictReason = 'consent_missing'

const NOT_SELF =
  'A dependant who is 18 or older has not consented for this purpose, or has withdrawn it; what a parent or guardian consented to ends at 18.'

const consentMissing = (purpose: ConsentPurpose, detail: string, ofPeople?: { person_ids: string[] }) =>
  new ProblemError('conflict', detail, { members: { reason: REASON, purpose, ...ofPeople } })

/** A dependant for which something begins. */
export type Begun = { id: string; born: Day }

/**
 * Decides whether something new may begin for dependants, of which those who are 18 or older have consented themselves. Pure. `given` has
 * those who did.
 */
export function decideSelfConsent(
  { purpose, today, dependants }: Pick<Question, 'purpose' | 'today'> & { dependants: readonly Begun[] },
  given: ReadonlySet<string>,
): ProblemError | undefined {
  const missing = listAdults(dependants, today).filter((id) => !given.has(id))
  return missing.length > 0 ? consentMissing(purpose, NOT_SELF, { person_ids: missing }) : undefined
}

const listAdults = (dependants: readonly Begun[], today: Day): string[] =>
  dependants.filter(({ born }) => isAdult(born, today)).map(({ id }) => id)

export type ConsentContext = {
  db: Queryable
  vault: Vault
  calendar: Clock
  consentRules: Pick<ConsentRulesInMemory, 'rulesOf' | 'findGiven' | 'findSelfGiven'>
}

/** `dependants`: current versions of those for which it begins. */
type Beginning = { userId: string; platformId: string; at: Date; dependants?: readonly Begun[] }

/** Returns the 409 `consent_missing` when what an operation is about to begin for a user needs a consent that is not there. */
export async function findConsentProblem(
  { db, vault, calendar, consentRules }: ConsentContext,
  operation: keyof typeof PURPOSE_OF,
  { userId, platformId, at, dependants = [] }: Beginning,
): Promise<ProblemError | undefined> {
  const purpose = PURPOSE_OF[operation]
  const today = todayIn(calendar)
  const asked = { purpose, rule: consentRules.rulesOf(platformId)?.[purpose], today, at }
  if (!needsConsent(asked)) return undefined
  const problem = decideConsent(asked, await consentRules.findGiven({ db, vault }, { userId, purpose, today }))
  if (problem || listAdults(dependants, today).length === 0) return problem
  return decideSelfConsent({ purpose, today, dependants }, await consentRules.findSelfGiven(db, { userId, purpose }))
}

/** Throws it. */
export async function requireConsent(...asked: Parameters<typeof findConsentProblem>): Promise<void> {
  const problem = await findConsentProblem(...asked)
  if (problem) throw problem
}

/** From this age on people consent for themselves. */
const ADULT_YEARS = 18

/** Returns the day on which somebody is an adult. */
export const adultOn = (born: Day): Day => addMonths(born, ADULT_YEARS * 12)

export const isAdult = (born: Day, today: Day): boolean => adultOn(born) <= today
