import { anchorOf, page, table } from './markdown.ts'
import { pageOfTag } from './operations-pages.ts'
import { type OpenApi, operationsIn } from './openapi-parts.ts'

const INTRODUCTION = `Who may call which operation. ● stands for every record, ○ for the caller's own ones only: those of its users, or of the policies that it
provides. To everybody else an operation is a 403, and a record of somebody else a 404.

| Caller | Who that is | How it authenticates |
|---|---|---|
| platform | the partner company, with its own users and sponsors | an access token for its \`basic_token\` |
| app user | a person of a platform, in its app | an access token that the platform requested |
| benefit provider | an insurer or a network of clinics, with the policies it provides | an access token for its \`basic_token\` |
| viewer, operator, owner | administrators of this installation | an access token or the session of a login |
| wallet user | a person who signed in to the wallet | the tokens of \`/wallet/v1/auth/otp/verify\` |
| administrator key | programs of the operators, for account providers only | the header \`admin-api-key\` |`

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

/** Returns the matrix of roles, as every operation states it. */
export function rolesPage(document: OpenApi): string {
  const operations = operationsIn(document)
  const sections = document.tags.map(({ name }) => {
    const rows = operations
      .filter(({ operation }) => operation.tags[0] === name)
      .map(({ method, path, operation }) => {
        const link = `[${method} ${path}](${pageOfTag(name)}#${anchorOf(operation.summary)})`
        return [link, ...Object.keys(CALLERS).map((caller) => signOf(operation['x-callers'], caller))]
      })
    return `## ${name}\n\n${table(['Operation', ...Object.values(CALLERS)], rows)}`
  })
  return page('Roles', INTRODUCTION, ...sections)
}

function signOf(callers: Record<string, 'own' | 'yes'>, caller: string): string {
  const grant = callers[caller]
  return grant === undefined ? '' : SIGNS[grant]
}
