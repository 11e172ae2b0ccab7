import { Type } from 'typebox'
import { Lines, OneOf, OrNull, REASON_MAX } from '../../../kernel/http/schemas.ts'
import { invalid } from '../../../kernel/problem-error.ts'
import { type Author, changed, type Decision, operation, transition, unchanged } from '../../../record/index.ts'
import {
  type OwnedRightsRequest,
  type RightsRequest,
  RightsRequestPath,
  RightsRequestRecord,
  tags,
  versionOf,
} from './records.ts'
import { RIGHTS_MACHINE, RIGHTS_STATES, type RightsState } from './states.ts'
import { requestInPath, setState } from './store.ts'

const StateInput = Type.Object(
  {
    state: OneOf(RIGHTS_STATES, { description: 'The new state' }),
    reason: OrNull(Lines({ maxLength: REASON_MAX, description: 'The response to the person; REFUSED needs one' })),
  },
  { examples: [{ state: 'IN_PROGRESS' }] },
)

export const setRightsRequestState = operation('PUT /users/:user_id/rights_requests/:request_id/state', {
  access: 'setRightsRequestState',
  tags,
  summary: 'Set the state of a rights request',
  description: 'Transitions: RECEIVED to IN_PROGRESS, then ANSWERED or, with a reason, REFUSED.',
  params: RightsRequestPath,
  body: StateInput,
  versioned: true,
  response: { 200: RightsRequestRecord },
  problems: ['not_found', 'invalid_state', 'precondition_failed'],
  target: requestInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.request_id,
  change: ({ target, body }, author) => decideState(target, { ...body, reason: body.reason ?? undefined }, author),
  present: (request) => changed(versionOf(request)),
})

type Input = { state: RightsState; reason: string | undefined }

/** Decides the state of a request; the same again changes nothing. Pure. Throws 422 for REFUSED without a reason. */
export function decideState(
  request: OwnedRightsRequest,
  { state, reason }: Input,
  { at, caller }: Pick<Author, 'at' | 'caller'>,
): Decision<RightsRequest> {
  if (request.state === state) return unchanged(request)
  const recorded = transition(RIGHTS_MACHINE, request, { to: state, who: caller.kind, reason })
  if (state === 'REFUSED' && reason === undefined) throw invalid([NO_REASON])
  const change = setState(request, { state }, at)
  return { ...change, result: { ...change.result, reason: reason ?? null }, ...recorded }
}

const NO_REASON = { pointer: '/reason', code: 'required', detail: 'Say why it is refused.' } as const
