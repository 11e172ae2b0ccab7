import { todayIn, wireTime } from '../../../kernel/clock.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { toPaise } from '../../../kernel/money.ts'
import { conflict, invalid, limitReached } from '../../../kernel/problem-error.ts'
import { type Author, type Decision, operation, responding, unchanged } from '../../../record/index.ts'
import { createEntry, toRowsOfEntries } from './draw-store.ts'
import {
  DepositEntryInput,
  DepositEntryRecord,
  DepositPath,
  type Deposit,
  ENTRY,
  type Entry,
  presentEntry,
  tags,
} from './records.ts'
import { ADD_ENTRY, findDeposit, findEntry } from './store.ts'

export const addDepositEntry = operation('POST /sponsors/:sponsor_id/deposits/:benefit_provider_id/entries', {
  access: 'addDepositEntry',
  tags,
  summary: 'Enter what a sponsor has paid in, or what was taken back',
  description:
    'The benefit provider says what it has received: TOP_UP, from `paid_on` on; or that money is gone, as of a cheque that was returned: REVERSAL, ' +
    'which may leave the balance below zero and ends no policy. A benefit provider goes back 45 days by default, an administrator further. `reference` is unique in the deposit: the same entry again returns the first with 200, ' +
    'another one is 409 `different_content`.',
  params: DepositPath,
  body: DepositEntryInput,
  response: { 200: DepositEntryRecord, 201: DepositEntryRecord },
  problems: ['conflict', 'not_found'],
  checkTargetFirst: (call) => findDeposit(call),
  serializeBy: ({ params }) => `${params.sponsor_id}:${params.benefit_provider_id}`,
  change: async (call, author) => {
    const deposit = await findDeposit(call)
    const entry = await findEntry(call.deps.db, { ...deposit, reference: call.body.reference })
    return decideEntry({ deposit, entry }, call.body, {
      author,
      today: todayIn(call.deps.calendar),
      ...call.deps.limits,
    })
  },
  present: ({ entry, isNew }) => responding(presentEntry(entry), isNew ? 201 : 200),
})

type Found = { deposit: Deposit; entry: Entry | undefined }
type Now = { author: Author; today: Day; backdateDays: number }

/** Decides an entry of a deposit. Pure. Throws 409 `different_content` for a reference of another entry, 422 for a day to come, or that is too long ago for this caller. */
export function decideEntry(
  { deposit, entry: stored }: Found,
  { kind, amount, paid_on: on, reference }: DepositEntryInput,
  { author, today, backdateDays }: Now,
): Decision<{ entry: Entry; isNew: boolean }> {
  const amountPaise = kind === 'TOP_UP' ? toPaise(amount.value) : -toPaise(amount.value)
  if (stored) {
    const isSame = stored.kind === kind && stored.amountPaise === amountPaise && stored.on === on
    if (!isSame) throw conflict('Another entry has this reference.', { reason: 'different_content' })
    return unchanged({ entry: stored, isNew: false })
  }
  if (on > today) {
    const detail = `Must be ${today}, today in India, or earlier.`
    throw invalid([{ pointer: '/paid_on', code: 'too_large', detail }])
  }
  const earliest = addDays(today, -backdateDays)
  if (on < earliest && author.caller.kind === 'provider') {
    const detail = `Must be ${earliest} or later; an administrator can go back further.`
    throw invalid([{ pointer: '/paid_on', code: 'too_small', detail }])
  }
  if (!Number.isSafeInteger(deposit.balancePaise + amountPaise))
    throw limitReached('The balance would exceed the maximum.')
  const row = createEntry(deposit, { kind, amount_paise: amountPaise, on_day: on, reference }, author)
  const entry = ENTRY.decode({ ...row, created_at: wireTime(author.at) })
  return { result: { entry, isNew: true }, ...ADD_ENTRY.with({}), rows: toRowsOfEntries([row]) }
}
