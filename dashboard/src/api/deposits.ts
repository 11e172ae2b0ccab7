import {
  type AddDepositEntryRequest,
  type Benefit,
  type BenefitProviderId,
  type Deposit,
  type DepositEntry,
  type Money,
  ResponseError,
  responseOf,
  type SponsorId,
} from '@banyan/client'
import type { ListDepositEntriesQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { offsetPage } from './offset-page.ts'

const PAGE = { limit: 100 } as const
/** More benefit providers, or benefits, than a sponsor has. */
const DEPOSITS_MAX = 1_000
const BENEFITS_MAX = 1_000
const FRESH_MS = 60_000

/** Whether the deposit of a sponsor is short for what was tried; the error says of what. */
export const isShort = (error: unknown): boolean =>
  error instanceof ResponseError && error.problem.reason === 'deposit_short'

/** Each sponsor has one deposit at each benefit provider. */
export type DepositRef = { sponsorId: SponsorId; providerId: BenefitProviderId }

export const depositsQuery = (id: SponsorId) =>
  queryOptions({ queryKey: ['deposits', id], queryFn: ({ signal }) => readDeposits(id, signal) })

const readDeposits = (id: SponsorId, signal: AbortSignal) =>
  banyan.sponsors.listDeposits(id, PAGE, { signal }).all(DEPOSITS_MAX)

/** Undefined where nothing was entered, and no level set. */
export const depositIn = (deposits: readonly Deposit[], { providerId }: DepositRef): Deposit | undefined =>
  deposits.find((deposit) => deposit.benefit_provider_id === providerId)

/** Whether a plan of it takes its premiums from the deposit of the sponsor. */
export const takesFromDeposit = ({ plans }: Benefit): boolean =>
  plans.some(({ premium_gate }) => premium_gate === 'deposit')

/** The benefits of a sponsor, archived ones too: policies of theirs go on. The list has no such filter. */
export const benefitsOfSponsorQuery = (id: SponsorId) =>
  queryOptions({
    queryKey: ['benefits', 'of-sponsor', id],
    queryFn: async ({ signal }) => {
      const all = banyan.benefits.list({ ...PAGE, status: ['ACTIVE', 'ARCHIVED'] }, { signal }).all(BENEFITS_MAX)
      return (await all).filter(({ sponsor_id }) => sponsor_id === id)
    },
    staleTime: FRESH_MS,
  })

type Days = Pick<ListDepositEntriesQuery, 'from' | 'to'>

/** The entries of a deposit, the newest first; `after` is the cursor of a page. */
export const depositEntriesQuery = ({ sponsorId, providerId }: DepositRef, days: Days, after?: string) =>
  queryOptions({
    queryKey: ['deposits', sponsorId, providerId, days, after],
    queryFn: ({ signal }) =>
      offsetPage(after, (page) =>
        banyan.sponsors.listDepositEntries(sponsorId, providerId, { ...days, ...page }, { signal }),
      ),
    placeholderData: keepPreviousData,
  })

/** Makes an entry. `isNew`: whether it was not there already, with all that it says. */
export async function addDepositEntry(
  { sponsorId, providerId }: DepositRef,
  body: AddDepositEntryRequest,
  options: { signal: AbortSignal },
): Promise<{ entry: DepositEntry; isNew: boolean }> {
  const entry = await banyan.sponsors.addDepositEntry(sponsorId, providerId, body, options)
  return { entry, isNew: responseOf(entry)?.status === 201 }
}

type Level = { seen: Money | null; amount: Money | null }

/** Sets the level below which a deposit is low, and throws when somebody has set another one since. */
export async function setLowBelow(at: DepositRef, { seen, amount }: Level, signal: AbortSignal): Promise<void> {
  // A list has no versions, so it is read again, and compared.
  const now = depositIn(await readDeposits(at.sponsorId, signal), at)?.low_below ?? null
  if (now?.paise !== seen?.paise) throw new LevelChangedError(now)
  await banyan.sponsors.setDepositLowBelow(at.sponsorId, at.providerId, { amount }, { signal })
}

/** Somebody else has set a level, or cleared it. */
export class LevelChangedError extends Error {
  readonly now: Money | null

  constructor(now: Money | null) {
    const text = now === null ? 'cleared it' : `set it to ${now.format()}`
    super(`Somebody else has ${text} since. Nothing of yours was sent. Send it again to replace that.`)
    this.now = now
  }
}
