import { type Deps, newEvent } from '../../../record/index.ts'
import { applyOnce, BATCH, workOff } from '../../cover/policies/index.ts'
import { ANNOUNCED_KINDS, decideAction } from './decide-action.ts'
import { ANNOUNCE, type Due, listDue } from './due-store.ts'
import { rulesOf } from './list-user-next-actions.ts'
import { actionOf } from './states.ts'

/**
 * Sends an event for each next action that is due tomorrow, or today where it was missed, and returns their number. Each is written once, with one
 * write for each record: safe to run in several workers, and restartable at any point.
 */
export function announceDue(deps: Deps, stop?: AbortSignal): Promise<number> {
  const rules = rulesOf(deps)
  return workOff(
    (without) => listDue(deps.db, { ...rules, without, limit: BATCH }),
    (due) => announce(deps, due),
    stop,
  )
}

/** Sends the event of a record read with the batch. */
const announce = (deps: Deps, due: Due): Promise<number> =>
  applyOnce(deps, due.id, () => {
    const decided = decideAnnouncement(due, rulesOf(deps))
    if (!decided) return undefined
    const row = { id: due.id, revision: due.revision, ...decided.row }
    return { events: [decided.event], ...ANNOUNCE[decided.kind].with(row) }
  })

/** Returns the event of what is due; the benefit provider receives it where it is waited for. Pure. */
function decideAnnouncement(due: Due, rules: ReturnType<typeof rulesOf>) {
  const decided = decideAction(due, rules)
  const { userId, policyId, platformId } = due
  const kind = ANNOUNCED_KINDS.find((one) => one === due.kind)
  if (!decided?.dueOn || !decided.rule || userId === null || kind === undefined) return undefined
  const { code, dueOn, rule } = decided
  const { who } = actionOf(code)
  const data = {
    subject_id: due.id,
    subject_kind: kind,
    user_id: userId,
    insurance_policy_id: policyId,
    benefit_provider_id: who === 'benefit_provider' ? due.benefitProviderId : null,
    code,
    who,
    due_on: dueOn,
    rule,
  }
  return { kind, row: { user_id: userId, due_on: dueOn }, event: newEvent('next_action.due', { platformId, data }) }
}
