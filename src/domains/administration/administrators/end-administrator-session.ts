import { Type } from 'typebox'
import { PathId } from '../../../kernel/http/schemas.ts'
import { operation, responding, unchanged } from '../../../record/index.ts'
import { endSession } from './end-session.ts'
import { tags } from './records.ts'
import { administratorInPath, hasSession } from './store.ts'

export const endAdministratorSession = operation('DELETE /administrators/:administrator_id/sessions/:session_id', {
  access: 'endAdministratorSession',
  tags,
  summary: 'End a session of an administrator',
  description: 'Its access tokens end within a second. Returns `ended: false` if there is no such session.',
  params: Type.Object({ administrator_id: PathId('The administrator'), session_id: PathId('The session') }),
  response: {
    200: Type.Object(
      { ended: Type.Boolean({ description: 'False if there is no such session, which is not an error' }) },
      { examples: [{ ended: true }] },
    ),
  },
  problems: ['not_found'],
  checkTargetFirst: administratorInPath,
  serializeBy: ({ params }) => params.session_id,
  change: async ({ deps, params }, author) => {
    const session = { administratorId: params.administrator_id, sessionId: params.session_id }
    if (!(await hasSession(deps.db, session, author.at))) return unchanged(false)
    return { ...endSession(session.sessionId, author), result: true }
  },
  present: (ended) => responding({ ended }),
})
