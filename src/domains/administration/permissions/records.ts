import { type Static, Type } from 'typebox'
import { CREDENTIALS } from '../../../access/matrix.ts'
import { CALLER_NAMES, listPermissions } from '../../../access/permissions.ts'
import type { Route } from '../../../kernel/http/exchange.ts'
import { OneOf, record } from '../../../kernel/http/schemas.ts'

const PermittedCaller = Type.Object(
  {
    caller: OneOf(CALLER_NAMES, {
      description:
        'A kind of caller, or a role of administrators. `platform_person` and `benefit_provider_person`: people of a partner, with their session; elsewhere they may what their company may',
    }),
    own_records_only: Type.Boolean({
      description: 'Whether it reaches only itself, its users and what belongs to them; anything else is a 404',
    }),
  },
  { title: 'PermittedCaller', description: 'A kind of caller that may call an operation' },
)

export const PermissionRecord = record(
  'Permission',
  {
    operation: Type.String({ description: 'The operation: its `operationId` in the OpenAPI document' }),
    method: OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: 'HTTP method' }),
    path: Type.String({ description: 'Path, with the names of its ids in braces' }),
    credential: OneOf(CREDENTIALS, {
      description:
        'How callers authenticate: `bearer` is an access token (an administrator’s session works too), `session` only a session, `wallet_bearer` a wallet access token, `admin_key` the administrator key, `basic` a `basic_token`, `signature` the HMAC of the wallet operator; `none` needs nothing',
    }),
    callers: Type.Array(PermittedCaller, {
      description: 'Who may call it. Empty for `basic`, `signature` and `none`, which know no kinds of callers',
    }),
  },
  {
    description: 'Who may call an operation',
    examples: [
      {
        operation: 'updateSponsor',
        method: 'PATCH',
        path: '/v1/sponsors/{sponsor_id}',
        credential: 'bearer',
        callers: [
          { caller: 'platform', own_records_only: true },
          { caller: 'operator', own_records_only: false },
          { caller: 'owner', own_records_only: false },
        ],
      },
    ],
  },
)

type Permission = Static<typeof PermissionRecord>

/** Known when every operation is mounted. */
export type Permissions = () => readonly Permission[]

/** Lists the permissions of all routes that have a row of the role matrix. */
export const listAllPermissions = (routes: readonly Route[]): Permission[] =>
  routes.flatMap(({ method, url, config: { access } }) => {
    if (access === undefined || access === 'anyone') return []
    const { operation, credential } = access
    const path = url.replaceAll(/:(\w+)/g, '{$1}')
    return [{ operation, method: method as Permission['method'], path, credential, callers: listPermissions(access) }]
  })
