import { isAcknowledged } from './journal.ts'
import { DIAL_CODE } from './member.ts'
import { countMessages } from './sandbox.ts'
import type { Transition } from './stored.ts'
import { countEvents, exactly, type Finding, type World, findingUnless } from './world.ts'

/** The operator's view has a state table of its own, with its history under the same id. */
const OPERATOR_STATUSES = ['ACTIVE', 'BLOCKED', 'UNKNOWN']

/** Each history row starts in the state in which the previous one ended. */
export function checkHistory({ stored }: World): Finding[] {
  const wallets = new Set(stored.wallets.map(({ partner_wallet_id }) => partner_wallet_id))
  const isOperatorView = ({ entity_id, to_status }: Transition) =>
    wallets.has(entity_id) && OPERATOR_STATUSES.includes(to_status)
  const chains = Map.groupBy(
    stored.transitions,
    (transition) => `${transition.entity_id}${isOperatorView(transition) ? ' operator' : ''}`,
  )
  return [...chains].flatMap(([of, transitions]) => {
    const isChain = transitions.every(
      ({ from_status }, index) => index === 0 || from_status === transitions[index - 1]?.to_status,
    )
    return findingUnless(isChain, `history of ${of}: ${transitions.map(arrowOf).join(', ')}`)
  })
}

const arrowOf = ({ from_status, to_status }: Transition) => `${from_status} to ${to_status}`

/** Each transition of a policy is reported once. */
export function checkPolicyEvents({ stored }: World): Finding[] {
  const isPolicy = new Set(
    stored.events.filter(({ type }) => type === 'policy.status_changed').map(({ subject }) => subject),
  )
  const transitions = Map.groupBy(stored.transitions, ({ entity_id }) => entity_id)
  return [...isPolicy].flatMap((id) => {
    const reported = countEvents(stored, ['policy.status_changed'], { subject: id })
    return exactly(`events of policy ${id}`, reported, transitions.get(id)?.length ?? 0)
  })
}

/** An acknowledged code was sent, possibly twice. */
export async function checkCodes({ journal, stage }: World): Promise<Finding[]> {
  const sent = await countMessages(stage.sandboxUrl)
  return journal.owners('code').flatMap((phone) => {
    const promised = journal.entries('code', phone).filter(isAcknowledged).length
    const found = sent.get(DIAL_CODE + phone) ?? 0
    const text = `codes for ${phone}: ${found} sent, ${promised} promised`
    return found < promised ? [{ sort: 'lost' as const, text }] : []
  })
}

/** The program's own verification of all balances. */
export async function checkLedger({ stage }: World): Promise<Finding[]> {
  return stage.command('ledger', 'verify').then(
    () => [],
    (error: Error) => [{ sort: 'wrong' as const, text: `ledger verify: ${error.message}` }],
  )
}
