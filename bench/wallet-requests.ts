import type { Request } from './ask.ts'
import { CONNECTIONS, type Source } from './drive.ts'

type Headers = Record<string, string>

export const createWallet = (headers: Headers): Request => ({ method: 'POST', path: '/wallet/v1/wallet', headers })

export const walletStatus = (walletId: string, headers: Headers): Request => ({
  method: 'GET',
  path: `/wallet/v1/wallet/${walletId}/status`,
  headers,
})

export const refresh = (token: string | undefined): Request => ({
  method: 'POST',
  path: '/wallet/v1/auth/token/refresh',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ refresh_token: token }),
})

/** Each connection refreshes its share of the sessions in turn, with the token of the last response. */
export function refreshing(tokens: string[]): Source {
  const positions = Array.from({ length: CONNECTIONS }, (_, connection) => connection)
  return (connection) => {
    const position = positions[connection] as number
    positions[connection] = (position + CONNECTIONS) % tokens.length
    return {
      request: refresh(tokens[position]),
      status: 200,
      onResponse: (text) => (tokens[position] = (JSON.parse(text) as { refresh_token: string }).refresh_token),
    }
  }
}
