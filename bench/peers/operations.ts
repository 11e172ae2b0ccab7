import type { Request } from '../ask.ts'
import { userInputOf } from '../families.ts'
import type { Tenant } from '../fill.ts'
import { createWallet, walletStatus } from '../wallet-requests.ts'
import type { WalletSide } from '../wallet-side.ts'
import type { PeerDatabase } from './population.ts'

/** An operation, and the requests of a round for one system. */
export type PeerOperation = {
  name: string
  /** Whether a request cannot be repeated, so that there must be as many as are sent. */
  usesUp: boolean
  requests(system: { isProduct: boolean }, count: number): Promise<Request[]>
}

export type PeerGround = { tenant: Tenant; wallets: WalletSide; peers: PeerDatabase }

const REPEATED = 5_000
/** The product allows 50 dependants of a user. */
const TIMES_TEN_DEPENDANTS = 4
/** The first number that belongs to no user. */
const UNKNOWN_FROM = 5_000_000

/** Different ones each time: the product rejects a dependant that the user already has. */
const tenDependants = (time: number) =>
  Array.from({ length: 10 }, (_, place) => ({
    first_name: `Child ${10 * time + place + 1}`,
    last_name: 'Example',
    date_of_birth: `20${10 + place}-08-02`,
  }))

export function peerOperationsOn({ tenant, wallets, peers }: PeerGround): PeerOperation[] {
  const headers = { authorization: `Bearer ${tenant.platformToken}`, 'content-type': 'application/json' }
  const newcomers: string[] = []
  const used = { dependants: 0, wallets: 0 }
  let unknown = UNKNOWN_FROM

  const tokenRequest = (index: number): Request => {
    const body = JSON.stringify(userInputOf(index))
    return { method: 'POST', path: '/v1/auth/token', headers, body }
  }

  /** Users without records: the product gets other ones each time, the peers can begin anew. */
  async function takeNewcomers(use: keyof typeof used, isProduct: boolean, count: number): Promise<string[]> {
    const from = isProduct ? used[use] : 0
    const missing = from + count - newcomers.length
    if (missing > 0) {
      const added = await tenant.addNewcomers(missing)
      await peers.addUsers(added)
      newcomers.push(...added)
    }
    if (isProduct) used[use] += count
    return newcomers.slice(from, from + count)
  }

  return [
    {
      name: 'list policies',
      usesUp: false,
      requests: async () =>
        tenant.people.slice(0, REPEATED).map(({ userId }) => ({
          method: 'GET',
          path: `/v1/users/${userId}/insurance_policies`,
          headers: { authorization: headers.authorization },
        })),
    },
    {
      name: 'issue token known',
      usesUp: false,
      requests: async () => Array.from({ length: REPEATED }, (_, index) => tokenRequest(index)),
    },
    {
      name: 'issue token new',
      usesUp: true,
      requests: async (_system, count) => Array.from({ length: count }, () => tokenRequest(unknown++)),
    },
    {
      name: 'ten dependants',
      usesUp: true,
      async requests({ isProduct }, count) {
        const ids = await takeNewcomers('dependants', isProduct, Math.ceil(count / TIMES_TEN_DEPENDANTS))
        return Array.from({ length: TIMES_TEN_DEPENDANTS }, (_, time) => {
          const body = JSON.stringify({ dependants: tenDependants(time) })
          return ids.map((id) => ({ method: 'POST', path: `/v1/users/${id}/dependants/bulk`, headers, body }))
        }).flat()
      },
    },
    {
      name: 'create wallet new',
      usesUp: true,
      async requests({ isProduct }, count) {
        await peers.forgetWallets()
        const ids = await takeNewcomers('wallets', isProduct, count)
        return ids.map((id) => createWallet(wallets.headersOf(id)))
      },
    },
    {
      name: 'wallet status',
      usesUp: false,
      requests: async () =>
        tenant.people
          .slice(0, 2 * REPEATED)
          .flatMap(({ userId, walletId }) =>
            walletId === undefined ? [] : walletStatus(walletId, wallets.headersOf(userId)),
          ),
    },
  ]
}
