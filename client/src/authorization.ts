import type { Operation } from './operation.ts'
import type { Credentials, TokenSource } from './settings.ts'

/** How one attempt proves who calls. `token` is set when a refused one can be renewed. */
export type Authorization = { headers: Record<string, string>; token?: string }

type Sources = { credentials: Credentials; bearer: TokenSource | undefined; wallet: TokenSource | undefined }

export async function authorize(
  { auth = 'bearer' }: Operation,
  { credentials, bearer, wallet }: Sources,
  { body, refused }: { body: unknown; refused: string | undefined },
): Promise<Authorization> {
  const { basicToken, accessToken, walletToken, adminApiKey, operatorSignature, session } = credentials
  switch (auth) {
    case 'none':
      return { headers: {} }
    case 'basic':
      return { headers: { authorization: `Basic ${known(basicToken, 'basicToken')}` } }
    case 'admin_key':
      return { headers: { 'admin-api-key': known(adminApiKey, 'adminApiKey') } }
    case 'signature':
      return { headers: { 'operator-signature': await known(operatorSignature, 'operatorSignature')(String(body)) } }
    case 'session':
      return { headers: {} } // the browser adds its cookie
    case 'wallet_bearer':
      return withToken(await known(wallet, 'walletToken')(refused), walletToken)
    case 'bearer':
      if (session) return { headers: {} }
      return withToken(await known(bearer, 'basicToken or accessToken')(refused), accessToken)
  }
}

/** A token that was given as text is always the same one, so nothing is to be renewed. */
function withToken(token: string, given: string | TokenSource | undefined): Authorization {
  const headers = { authorization: `Bearer ${token}` }
  return typeof given === 'string' ? { headers } : { headers, token }
}

function known<T>(credential: T | undefined, name: string): T {
  if (credential === undefined || credential === '') throw new TypeError(`This operation needs the setting ${name}`)
  return credential
}

export const sourceOf = (token: string | TokenSource | undefined): TokenSource | undefined =>
  typeof token === 'string' ? () => token : token
