import { beginLogin } from './begin-login.ts'
import { createSessionToken } from './create-session-token.ts'
import { endAdministratorSession } from './end-administrator-session.ts'
import { finishLogin } from './finish-login.ts'
import { listAdministratorSessions } from './list-administrator-sessions.ts'
import { listAdministrators } from './list-administrators.ts'
import { logOut } from './log-out.ts'
import { readSession } from './read-session.ts'
import { setAdministratorStatus } from './set-administrator-status.ts'

export { createIdentityProvider } from './create-identity-provider.ts'
export { ID_TOKEN, type Login, PROFILE as ADMINISTRATOR_PROFILE } from './records.ts'
export { roleFrom } from './role-from.ts'
export { ADMINISTRATOR_MACHINE, ADMINISTRATOR_STATUSES } from './states.ts'
export { disableListed, findColleagues, findPersons } from './store.ts'

export const administratorOperations = [
  beginLogin,
  finishLogin,
  readSession,
  createSessionToken,
  logOut,
  listAdministrators,
  setAdministratorStatus,
  listAdministratorSessions,
  endAdministratorSession,
]
