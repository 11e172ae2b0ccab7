import type { Request } from '../ask.ts'
import { userInputOf } from '../families.ts'
import type { Tenant } from '../fill.ts'
import { createWallet, walletStatus } from '../wallet-requests.ts'
import type { WalletSide } from '../wallet-side.ts'
import type { BareDatabase } from './population.ts'
import type { PromiseDatabase } from './promise-population.ts'
import type { Kind } from './systems.ts'

/** An operation, and the requests of a round for one system. */
export type PeerOperation = {
  name: string
  /** Whether a request cannot be repeated, so that there must be as many as are sent. */
  usesUp: boolean
  requests(system: { kind: Kind }, count: number): Promise<Request[]>
}

export type PeerGround = { tenant: Tenant; wallets: WalletSide; bare: BareDatabase; promises: PromiseDatabase }

const REPEATED = 5_000
/** A user may have 50 dependants. */
const TIMES_TEN_DEPENDANTS = 4
/** The first number that belongs to no user. */
const UNKNOWN_FROM = 5_000_000

/** Different ones each time: one that the user already has is rejected. */
const tenDependants = (time: number) =>
  Array.from({ length: 10 }, (_, place) => ({
    first_name: `Child ${10 * time + place + 1}`,
    last_name: 'Example',
    date_of_birth: `20${10 + place}-08-02`,
  }))

export function peerOperationsOn({ tenant, wallets, bare, promises }: PeerGround): PeerOperation[] {
  const headers = { authorization: `Bearer ${tenant.platformToken}`, 'content-type': 'application/json' }
  const newcomers: string[] = []
  const none = { dependants: 0, wallets: 0 }
  const used: Record<Kind, typeof none> = { product: { ...none }, bare: none, promises: { ...none } }
  let unknown = UNKNOWN_FROM

  const tokenRequest = (index: number): Request => {
    const body = JSON.stringify(userInputOf(index))
    return { method: 'POST', path: '/v1/auth/token', headers, body }
  }

  /** Users without records: a system that keeps limits and histories gets other ones each time, bare peers can begin again. */
  async function takeNewcomers(use: keyof typeof none, kind: Kind, count: number): Promise<string[]> {
    const from = used[kind][use]
    const missing = from + count - newcomers.length
    if (missing > 0) {
      const added = await tenant.addNewcomers(missing)
      await bare.addUsers(added)
      await promises.addUsers(added)
      newcomers.push(...added)
    }
    if (kind !== 'bare') used[kind][use] += count
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
      async requests({ kind }, count) {
        const ids = await takeNewcomers('dependants', kind, Math.ceil(count / TIMES_TEN_DEPENDANTS))
        return Array.from({ length: TIMES_TEN_DEPENDANTS }, (_, time) => {
          const body = JSON.stringify({ dependants: tenDependants(time) })
          return ids.map((id) => ({ method: 'POST', path: `/v1/users/${id}/dependants/bulk`, headers, body }))
        }).flat()
      },
    },
    {
      name: 'create wallet new',
      usesUp: true,
      async requests({ kind }, count) {
        await bare.forgetWallets()
        const ids = await takeNewcomers('wallets', kind, count)
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
