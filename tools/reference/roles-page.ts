import { anchorOf, page, table } from './markdown.ts'
import { pageOfTag } from './operations-pages.ts'
import { type OpenApi, operationsIn } from './openapi-parts.ts'
import { permissionDrawing } from './permission-drawing.ts'

const INTRODUCTION = `Who may call which operation. ● stands for every record, ○ for the caller's own ones only: those of its users, or of the policies that it
provides. To everybody else an operation is a 403, and a record of somebody else a 404. The 403 names the kinds of callers that may
(\`required\`) and yours (\`caller\`); [\`GET /v1/meta/permissions\`](operations/permissions.md) has all of this for programs. Both are read from the
table that guards the operations.

| Caller | Who that is | How it authenticates |
|---|---|---|
| platform | the partner company, with its own users and sponsors | an access token for its \`basic_token\` |
| app user | a person of a platform, in its app | an access token that the platform requested |
| benefit provider | an insurer or a network of clinics, with the policies it provides | an access token for its \`basic_token\` |
| viewer, operator, owner | administrators of this installation | an access token or the session of a login |
| wallet user | a person who signed in to the wallet | the tokens of \`/wallet/v1/auth/otp/verify\` |
| administrator key | programs of the operators, for account providers only | the header \`admin-api-key\` |

People of a platform or a benefit provider who log in have the rights of their company, and may use their own session and read what they did with it.

![Who may read and write in each group of operations; the tables below list each operation](roles.svg)`

/** In the order of the table, as `x-callers` names them. */
const CALLERS: Record<string, string> = {
  platform: 'platform',
  user: 'app user',
  provider: 'benefit provider',
  viewer: 'viewer',
  operator: 'operator',
  owner: 'owner',
  wallet_user: 'wallet user',
  admin_key: 'administrator key',
}
const SIGNS = { own: '○', yes: '●' }

/** Returns the page of the matrix of roles, as every operation states it, and a drawing of it. */
export function roleFiles(document: OpenApi): Record<string, string> {
  const all = operationsIn(document)
  const groups = document.tags.map(({ name }) => {
    const operations = all.filter(({ operation }) => operation.tags[0] === name)
    return { name, operations }
  })
  const sections = groups.map(({ name, operations }) => {
    const rows = operations.map(({ method, path, operation }) => {
      const link = `[${method} ${path}](${pageOfTag(name)}#${anchorOf(operation.summary)})`
      return [link, ...Object.keys(CALLERS).map((caller) => signOf(operation['x-callers'], caller))]
    })
    return `## ${name}\n\n${table(['Operation', ...Object.values(CALLERS)], rows)}`
  })
  return {
    'roles.md': page('Roles and permissions', INTRODUCTION, ...sections),
    'roles.svg': permissionDrawing(CALLERS, groups),
  }
}

function signOf(callers: Record<string, 'own' | 'yes'>, caller: string): string {
  const grant = callers[caller]
  return grant === undefined ? '' : SIGNS[grant]
}
