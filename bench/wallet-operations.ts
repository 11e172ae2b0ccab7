import assert from 'node:assert/strict'
import type { Queryable } from '../src/kernel/db/database.ts'
import { statement } from '../src/kernel/db/database.ts'
import { ask, type Request } from './ask.ts'
import type { Tenant } from './fill.ts'
import { CONNECTIONS, type Load, run } from './full-load.ts'
import { type Operation, repeatable, withoutChance } from './operations.ts'
import type { Ground } from './part.ts'
import type { Stage } from './stage.ts'
import { openWalletSide, type WalletSide } from './wallet-side.ts'

/** Each connection renews the pairs of this many families in turn. */
const FAMILIES_A_CONNECTION = 16
const SAMPLES = 10
/** More users than a round can use up are there before it. */
const NEW_WALLETS_A_SECOND_MAX = 4_000

export const CREATE = { method: 'POST', path: '/wallet/v1/wallet' }
const REFRESH = {
  method: 'POST',
  path: '/wallet/v1/auth/token/refresh',
  headers: { 'content-type': 'application/json' },
}

export function walletOperationsOn({ tenant, stage, closers }: Ground): Operation[] {
  const side = openWalletSide({ tenant, stage, closers })
  const holders = tenant.people.flatMap(({ userId, walletId }) => (walletId === undefined ? [] : { userId, walletId }))
  const comparing = { stage, comparable: (answer: string) => answer }
  const again = () => holders.map(({ userId }) => ({ ...CREATE, headers: side.headersOf(userId) }))
  const status = () =>
    holders.map(({ userId, walletId }) => ({
      method: 'GET',
      path: `/wallet/v1/wallet/${walletId}/status`,
      headers: side.headersOf(userId),
    }))
  return [
    createNew(tenant, stage, side),
    repeatable('create wallet again', again, comparing),
    repeatable('wallet status', status, comparing),
    refresh(tenant, stage, side),
  ]
}

/** Every request is that of a user who has no wallet yet. */
function createNew(tenant: Tenant, { productUrl, floorUrl }: Stage, side: WalletSide): Operation {
  let waiting: string[] = []
  let answered = 0
  let begun = 0

  const load: Load = async (url, seconds) => {
    waiting.push(...(await tenant.addNewcomers(Math.max(0, seconds * NEW_WALLETS_A_SECOND_MAX - waiting.length))))
    let next = 0
    const setupRequest = (request: Request) => ({ ...request, headers: side.headersOf(waiting[next++] ?? '0') })
    const round = await run(url, seconds, (client) => client.setRequests([{ ...CREATE, headers: {}, setupRequest }]))
    assert(next <= waiting.length, `create wallet: ${waiting.length} users were too few for ${seconds} s`)
    waiting = waiting.slice(next)
    answered += round.answers
    begun += next
    return round
  }

  return {
    name: 'create wallet new',
    load,
    async check() {
      for (let sample = 0; sample < SAMPLES; sample++) {
        const [first = '', second = ''] = await tenant.addNewcomers(2)
        const product = await ask(productUrl, { ...CREATE, headers: side.headersOf(first) })
        const floor = await ask(floorUrl, { ...CREATE, headers: side.headersOf(second) })
        assert.equal(product.status, 201, `the product answered ${product.status}: ${product.text}`)
        assert.deepEqual(
          { ...product, text: withoutIds(product.text, first), rows: await rowsOf(side.db, first) },
          { ...floor, text: withoutIds(floor.text, second), rows: await rowsOf(side.db, second) },
        )
        answered += 2
        begun += 2
      }
    },
    async checkAfterwards() {
      const [made] = await side.db.query<Made>(MADE)
      assert(made && made.wallets >= answered && made.wallets <= begun, 'a wallet for each answer')
      assert.deepEqual(made, {
        wallets: made.wallets,
        moves: 2 * made.wallets,
        events: made.wallets,
        jobs: made.wallets,
      })
    },
  }
}

type Made = { wallets: number; moves: number; events: number; jobs: number }

const MADE = statement(
  'bench_made',
  `with made as (select user_id, partner_wallet_id from wallets where wallet_status = 'PENDING')
   select (select count(*) from made) as wallets,
          (select count(*) from made join user_status_changes using (user_id)) as moves,
          (select count(*) from made join events on subject = partner_wallet_id) as events,
          (select count(*) from made join pgboss.job on name = 'provision-wallet' and data ->> 'user_id' = user_id) as jobs`,
)

const ROWS = statement(
  'bench_rows',
  `select to_jsonb(w) as wallet, to_jsonb(i) as id, to_jsonb(e) as event, to_jsonb(j) as job,
          (select jsonb_agg(to_jsonb(c) order by c.change_id) from user_status_changes c where c.user_id = w.user_id) as moves
     from wallets w
     join wallet_ids i on i.user_id = w.user_id
     join events e on e.subject = w.partner_wallet_id
     join pgboss.job j on j.name = 'provision-wallet' and j.data ->> 'user_id' = w.user_id
    where w.user_id = $1`,
)

async function rowsOf(db: Queryable, userId: string): Promise<unknown> {
  const rows = await db.query(ROWS, [userId])
  assert.equal(rows.length, 1)
  return JSON.parse(withoutIds(JSON.stringify(rows[0]), userId))
}

/** Ids and times have their length and no more. */
const withoutIds = (text: string, userId: string) =>
  text
    .replaceAll(userId, 'the user')
    .replaceAll(/(?<=_)[0-9a-z]{26}/g, 'id')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.+]+/g, 'time')

type Chain = { token: string }

/** Each answer's refresh token is what the next request of its family shows. */
function refresh({ people }: Tenant, { productUrl, floorUrl }: Stage, side: WalletSide): Operation {
  let answered = 0

  const requestOf = (chain: Chain) => ({
    ...REFRESH,
    body: bodyOf(chain),
    setupRequest: (request: Request) => ({ ...request, body: bodyOf(chain) }),
    onResponse: (status: number, body: string) => {
      if (status === 200) chain.token = (JSON.parse(body) as { refresh_token: string }).refresh_token
    },
  })

  const load: Load = async (url, seconds) => {
    // New families for each round: the answer to the last request of a round is never read.
    const tokens = await side.startFamilies(people.slice(0, CONNECTIONS * FAMILIES_A_CONNECTION))
    const round = await run(url, seconds, (client) => {
      client.setRequests(tokens.splice(0, FAMILIES_A_CONNECTION).map((token) => requestOf({ token })))
    })
    answered += round.answers
    return round
  }

  return {
    name: 'refresh wallet tokens',
    load,
    async check() {
      for (const token of await side.startFamilies(people.slice(0, SAMPLES))) {
        const request = { ...REFRESH, body: bodyOf({ token }) }
        const product = await ask(productUrl, request)
        assert.equal(product.status, 200, `the product answered ${product.status}: ${product.text}`)
        await side.takeBack(token)
        const floor = await ask(floorUrl, request)
        assert.equal(product.type, floor.type)
        assert.deepEqual(withoutTimes(product.text), withoutTimes(floor.text), 'one pair')
        answered += 1
      }
    },
    async checkAfterwards() {
      const [families] = await side.db.query<{ rotations: number; ended: number }>(ROTATIONS)
      assert(families && families.rotations >= answered, 'each answer moved a family on')
      assert.equal(families.ended, 0)
    },
  }
}

const bodyOf = ({ token }: Chain) => JSON.stringify({ refresh_token: token })

const ROTATIONS = statement(
  'bench_rotations',
  `select sum(generation - 1) as rotations, count(ended_at) as ended from refresh_families`,
)

/** The pair, the id of the access token included, which is made from the refresh token. */
function withoutTimes(answer: string): unknown {
  const pair = JSON.parse(answer) as Record<string, unknown>
  const { access_token_expires_at: _, refresh_token_expires_at: __, ...rest } = pair
  return [Object.keys(pair), answer.length, withoutChance(JSON.stringify(rest), ['iat', 'exp'])]
}
