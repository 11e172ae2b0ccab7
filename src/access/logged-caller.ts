import type { Request } from '../kernel/http/exchange.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { sessionSecretIn } from './administrator-sessions.ts'
import { actorOf, type Caller, findCredentialId } from './caller.ts'
import { type AccessRow, matrix } from './matrix.ts'

/** The statuses of rejected callers; `login_failed` is a 400. */
const REJECTED = [401, 403, 429]

/** What callers without a credential present in the body, the query or a cookie. */
const PROOFS = new Map<AccessRow, string>([
  [matrix.verifyOtp, 'one_time_code'],
  [matrix.refreshWalletToken, 'refresh_token'],
  [matrix.finishLogin, 'identity_provider'],
  [matrix.logOut, 'session'],
])

/** Names the caller in the log line of a request. Computed once: the name also decides whose connections it uses. */
export function nameCaller(request: Request, caller: Caller): void {
  request.callerName = actorOf(caller)
  request.credentialId = findCredentialId(caller)
}

/** Notes for the log how a rejected caller tried to authenticate. */
export function noteRejection(request: Request, error: unknown): void {
  if (!(error instanceof ProblemError) || !(REJECTED.includes(error.status) || error.code === 'login_failed')) return
  request.credentialId ??= error.credentialId
  request.tried = triedBy(request)
}

/** Returns the kind of credential that a request presents where one is needed; `none` when it presents nothing. */
function triedBy({ headers, route }: Request): string | undefined {
  const { access } = route.config
  if (access === undefined || access === 'anyone') return undefined
  const has = (name: string, kind: string) => (headers[name] === undefined ? 'none' : kind)
  switch (access.credential) {
    case 'none':
      return PROOFS.get(access)
    case 'admin_key':
      return has('admin-api-key', 'admin_key')
    case 'signature':
      return has('operator-signature', 'signature')
    case 'basic':
      return has('authorization', 'basic')
    case 'wallet_bearer':
      return has('authorization', 'bearer')
    case 'bearer':
    case 'session':
      if (access.credential === 'bearer' && headers.authorization !== undefined) return 'bearer'
      return sessionSecretIn(headers) === undefined ? 'none' : 'session'
  }
}
