import assert from 'node:assert/strict'
import type { Queryable } from '../src/kernel/db/database.ts'
import { statement } from '../src/kernel/db/database.ts'
import { ask } from './ask.ts'
import { CONNECTIONS, drive, type Source } from './drive.ts'
import type { Tenant } from './fill.ts'
import { type Operation, repeatable, withoutRandomParts } from './operations.ts'
import type { BenchContext } from './part.ts'
import type { Stage } from './stage.ts'
import { createWallet, refresh, refreshing, walletStatus } from './wallet-requests.ts'
import { openWalletSide, type WalletSide } from './wallet-side.ts'

const FAMILIES = 16 * CONNECTIONS
const SAMPLES = 10
/** An upper bound of the users one round needs. */
const NEW_WALLETS_A_SECOND_MAX = 4_000

export async function walletOperationsOn({ tenant, stage, closers }: BenchContext): Promise<Operation[]> {
  const side = await openWalletSide({ tenant, stage, closers })
  const holders = tenant.people.flatMap(({ userId, walletId }) => (walletId === undefined ? [] : { userId, walletId }))
  const comparing = { stage, comparable: (response: string) => response }
  const again = () => holders.map(({ userId }) => createWallet(side.headersOf(userId)))
  const status = () => holders.map(({ userId, walletId }) => walletStatus(walletId, side.headersOf(userId)))
  return [
    createNew(tenant, stage, side),
    repeatable('create wallet again', again, comparing),
    repeatable('wallet status', status, comparing),
    refreshTokens(tenant, stage, side),
  ]
}

/** Every request is by another user without a wallet. */
function createNew(tenant: Tenant, { productUrl, floorUrl }: Stage, side: WalletSide): Operation {
  let unused: string[] = []
  let created = 0

  return {
    name: 'create wallet new',
    async load(url, seconds) {
      unused.push(...(await tenant.addNewcomers(Math.max(0, seconds * NEW_WALLETS_A_SECOND_MAX - unused.length))))
      let next = 0
      const source = () => {
        const userId = unused[next++]
        return userId === undefined ? undefined : { request: createWallet(side.headersOf(userId)), status: 201 }
      }
      const round = await drive(url, source, { seconds })
      unused = unused.slice(next)
      created += round.responses
      return round
    },
    async check() {
      for (let sample = 0; sample < SAMPLES; sample++) {
        const [first = '', second = ''] = await tenant.addNewcomers(2)
        const product = await ask(productUrl, createWallet(side.headersOf(first)))
        const floor = await ask(floorUrl, createWallet(side.headersOf(second)))
        assert.equal(product.status, 201, `the product returned ${product.status}: ${product.text}`)
        assert.deepEqual(
          { ...product, text: withoutIds(product.text, first), rows: await rowsOf(side.db, first) },
          { ...floor, text: withoutIds(floor.text, second), rows: await rowsOf(side.db, second) },
        )
        created += 2
      }
    },
    async checkAfterwards() {
      const [made] = await side.db.query<Made>(MADE)
      assert.deepEqual(made, { wallets: created, transitions: 2 * created, events: created, jobs: created })
    },
  }
}

type Made = { wallets: number; transitions: number; events: number; jobs: number }

const MADE = statement(
  'bench_made',
  `with made as (select user_id, partner_wallet_id from wallets where wallet_status = 'PENDING')
   select (select count(*) from made) as wallets,
          (select count(*) from made join user_status_changes using (user_id)) as transitions,
          (select count(*) from made join events on subject = partner_wallet_id) as events,
          (select count(*) from made join pgboss.job on name = 'provision-wallet' and data ->> 'user_id' = user_id) as jobs`,
)

const ROWS = statement(
  'bench_rows',
  `select to_jsonb(w) as wallet, to_jsonb(i) as id, to_jsonb(e) as event, to_jsonb(j) as job,
          (select jsonb_agg(to_jsonb(c) order by c.change_id) from user_status_changes c where c.user_id = w.user_id) as transitions
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

/** Replaces ids and times, which only have to agree in their length. */
const withoutIds = (text: string, userId: string) =>
  text
    .replaceAll(userId, 'the user')
    .replaceAll(/(?<=_)[0-9a-z]{26}/g, 'id')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.+]+/g, 'time')

function refreshTokens({ people }: Tenant, { productUrl, floorUrl }: Stage, side: WalletSide): Operation {
  let created = 0
  let source: Source | undefined

  return {
    name: 'refresh wallet tokens',
    async load(url, seconds) {
      source ??= refreshing(await side.startFamilies(people.slice(0, FAMILIES)))
      const round = await drive(url, source, { seconds })
      created += round.responses
      return round
    },
    async check() {
      for (const token of await side.startFamilies(people.slice(0, SAMPLES))) {
        const request = refresh(token)
        const product = await ask(productUrl, request)
        assert.equal(product.status, 200, `the product returned ${product.status}: ${product.text}`)
        await side.undoRotation(token)
        const floor = await ask(floorUrl, request)
        assert.equal(product.type, floor.type)
        assert.deepEqual(withoutTimes(product.text), withoutTimes(floor.text), 'one pair')
        created += 1
      }
    },
    async checkAfterwards() {
      const [families] = await side.db.query<{ rotations: number; ended: number }>(ROTATIONS)
      assert.deepEqual(families, { rotations: created, ended: 0 }, 'each response rotated a family')
    },
  }
}

const ROTATIONS = statement(
  'bench_rotations',
  `select sum(generation - 1) as rotations, count(ended_at) as ended from refresh_families`,
)

/** Returns the token pair without times, but with the access token's id, which is derived from the refresh token. */
function withoutTimes(response: string): unknown {
  const pair = JSON.parse(response) as Record<string, unknown>
  const { access_token_expires_at: _, refresh_token_expires_at: __, ...rest } = pair
  return [Object.keys(pair), response.length, withoutRandomParts(JSON.stringify(rest), ['iat', 'exp'])]
}
