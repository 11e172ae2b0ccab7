import type { UserScope } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { toPaise } from '../../../kernel/money.ts'
import { type Author, type Decision, type Deps, transition, unchanged } from '../../../record/index.ts'
import { decideEnd, type DecidedEnd, decideWithdrawal } from '../policies/decide-end.ts'
import { findPolicyWithEnd } from '../policies/end-store.ts'
import { endChange } from '../policies/set-policy-end.ts'
import { decidedBy, type EndorsementStateInput, notRefusable } from './decided-by.ts'
import type { FoundEndorsement } from './records.ts'
import { toSubject } from './settle.ts'
import { ENDORSEMENT_MACHINE } from './states.ts'
import { asOfPolicy } from './store.ts'

type FoundEnd = Awaited<ReturnType<typeof findPolicyWithEnd>>

/**
 * Decides on the END of a policy, before its day or after it: accepted, the end has the day and the refund that the benefit provider names; taken
 * back before its day, the policy goes on. No issue is made: the term stays as it is.
 */
export async function decideOnEnd(
  deps: Deps,
  { endorsement, scope }: { endorsement: FoundEndorsement; scope: UserScope },
  input: EndorsementStateInput,
  author: Author,
): Promise<Decision<FoundEndorsement>> {
  const found = await findPolicyWithEnd(deps, scope, endorsement.policyId, input.on ?? endorsement.on)
  const current = await asOfPolicy(deps, endorsement, { found, author })
  if (current.state === input.state) return unchanged(current)
  const step = transition(ENDORSEMENT_MACHINE, toSubject(found.policy, current), {
    to: input.state,
    who: author.caller.kind,
    reason: input.reason ?? undefined,
  })
  if (input.state === 'REFUSED') throw notRefusable()
  const now = { who: author.caller.kind, at: author.at, today: todayIn(deps.calendar) }
  const decided =
    input.state === 'WITHDRAWN'
      ? decideWithdrawal(found, now)
      : decideEnd(found, asNamed(found, current, input), { ...now, backdateDays: deps.limits.backdateDays })
  const { result, row } = decidedBy(current, input, { issue: null, at: author.at })
  const change = await endChange(
    deps,
    found,
    { ...(decided ?? asItIs(found, author)), decision: { ...step, row } },
    author,
  )
  return { ...change, result }
}

/** Returns the end that the benefit provider names: what it leaves out is as it was asked for. */
const asNamed = ({ end }: FoundEnd, endorsement: FoundEndorsement, { on, amount, reason }: EndorsementStateInput) => ({
  on: on ?? endorsement.on,
  code: end?.code ?? ('OTHER' as const),
  reason: reason ?? end?.reason ?? undefined,
  amountPaise: amount ? toPaise(amount.value) : undefined,
})

/** An end that is accepted as it was asked for stays; only the version of its policy is new. */
const asItIs = ({ policy, end }: FoundEnd, { at }: Author): DecidedEnd => ({
  policy: nextVersion(policy, at),
  end,
  history: [],
  events: [],
})
