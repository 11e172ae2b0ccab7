import { randomInt } from 'node:crypto'
import type { Request } from '../ask.ts'
import { userIdOf, userInputOf, walletIdOf } from '../families.ts'
import { createWallet, walletStatus } from '../wallet-requests.ts'

type Headers = Record<string, string>
type Callers = { platform: Headers; headersOf(userId: string): Headers }

/** A request that is measured; `usesUp` when it can be made once a user. */
export type GrowthRequest = { name: string; status: number; usesUp?: boolean; make(): Request }

/** Returns the requests, each for any of so many users; `hasWallet` keeps who got one while measuring. */
export function growthRequests(
  users: number,
  { platform, headersOf, hasWallet }: Callers & { hasWallet: Set<number> },
): GrowthRequest[] {
  const anybody = () => randomInt(users)
  /** Every second user has a wallet. */
  const holder = () => 2 * randomInt(users / 2)
  const nextWithoutWallet = () => {
    for (;;) {
      const index = 2 * randomInt(users / 2) + 1
      if (hasWallet.has(index)) continue
      hasWallet.add(index)
      return index
    }
  }
  const post = (path: string, body: object): Request => ({
    method: 'POST',
    path: `/v1${path}`,
    headers: { ...platform, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const listing = (index: number) => `/v1/users/${userIdOf(index)}/insurance_policies`
  return [
    {
      name: 'list policies',
      status: 200,
      make: () => ({ method: 'GET', path: listing(anybody()), headers: platform }),
    },
    { name: 'issue token, known user', status: 200, make: () => post('/auth/token', userInputOf(anybody())) },
    {
      name: 'search by phone',
      status: 200,
      make() {
        const { phone_country_code, phone_number } = userInputOf(anybody())
        return post('/users/search', { phone_country_code, phone_number })
      },
    },
    {
      name: 'wallet status',
      status: 200,
      make() {
        const index = holder()
        return walletStatus(walletIdOf(index) ?? '', headersOf(userIdOf(index)))
      },
    },
    {
      name: 'create wallet',
      status: 201,
      usesUp: true,
      make: () => createWallet(headersOf(userIdOf(nextWithoutWallet()))),
    },
  ]
}
