import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { toPaise } from '../../../kernel/money.ts'
import { changed, operation, unchanged } from '../../../record/index.ts'
import { DepositLowInput, DepositPath, DepositRecord, tags, versionOf } from './records.ts'
import { findDeposit, SET_LOW_BELOW } from './store.ts'

export const setDepositLowBelow = operation('PUT /sponsors/:sponsor_id/deposits/:benefit_provider_id/low_below', {
  access: 'setDepositLowBelow',
  tags,
  summary: 'Set the balance below which a deposit is low',
  description:
    'The event `deposit.low` is sent once each time the balance falls below it. `null` sends none. A deposit can have one before anything was paid in.',
  params: DepositPath,
  body: DepositLowInput,
  versioned: true,
  response: { 200: DepositRecord },
  problems: ['not_found', 'precondition_failed'],
  checkTargetFirst: (call) => findDeposit(call),
  serializeBy: ({ params }) => `${params.sponsor_id}:${params.benefit_provider_id}`,
  change: async (call, { at }) => {
    const deposit = await findDeposit(call)
    checkFresh(call.request.headers['if-match'], () => versionOf(deposit))
    const lowBelowPaise = call.body.amount && toPaise(call.body.amount.value)
    if (deposit.lowBelowPaise === lowBelowPaise && deposit.revision > 0) return unchanged(deposit)
    return {
      result: nextVersion({ ...deposit, lowBelowPaise }, at),
      ...SET_LOW_BELOW.with({
        sponsor_id: deposit.sponsorId,
        benefit_provider_id: deposit.benefitProviderId,
        low_below_paise: lowBelowPaise,
        revision: deposit.revision,
        at,
      }),
    }
  },
  present: (deposit) => changed(versionOf(deposit)),
})
