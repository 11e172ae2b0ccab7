import type pg from 'pg'
import { hashSecret, secretFrom } from '../src/kernel/crypto/secrets.ts'
import type { Vault } from '../src/kernel/crypto/vault.ts'
import { newId } from '../src/kernel/id.ts'
import * as statements from './floor-wallet-statements.ts'

// The minimal implementation of the wallet operations; see floor.ts.

const TOKEN_SECONDS = 900
const JTI_LENGTH = 22

export type WalletUser = { user_id: string; platform_id: string }
export type FloorResponse = { status: number; body: object }
type Sign = (claims: Record<string, unknown>) => Promise<string>
type Context = { pool: pg.Pool; vault: Vault; sign: Sign }

export async function openWalletFloor({ pool, vault, sign }: Context) {
  async function findWallet(userId: string) {
    const { rows } = await pool.query<statements.WalletRow>({ ...statements.FIND_WALLET, values: [userId] })
    return rows[0]
  }

  async function makeWallet(user: WalletUser) {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const row = await insertWallet(client, user)
      await client.query('commit')
      client.release()
      return row
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  return {
    async create(user: WalletUser): Promise<FloorResponse> {
      const known = await findWallet(user.user_id)
      if (known) return { status: 200, body: present(known, false) }
      return { status: 201, body: present(await makeWallet(user), true) }
    },

    async status({ user_id }: WalletUser, walletId: string): Promise<FloorResponse> {
      const wallet = await findWallet(user_id)
      if (wallet?.partner_wallet_id !== walletId) throw new Error('no such wallet')
      return { status: 200, body: { wallet_id: walletId, wallet_status: wallet.wallet_status } }
    },

    async refresh(token: string): Promise<FloorResponse> {
      const next = secretFrom('byn_rt', vault.blindIndex('refresh_successor', token))
      const values = [hashSecret(token), hashSecret(next), Date.now() / 1000]
      const { rows } = await pool.query<statements.FamilyRow>({ ...statements.ROTATE, values })
      const [family] = rows
      if (!family) throw new Error('no such refresh token')
      const { user_id, family_id, platform_id } = family
      const iat = Math.floor(family.rotated_s)
      const exp = iat + TOKEN_SECONDS
      const jti = vault.blindIndex('refresh_jti', next).toString('base64url').slice(0, JTI_LENGTH)
      const caller = { role: 'wallet_user', sub: user_id, client_id: family_id, platform_id, user_id }
      const body = {
        access_token: await sign({ iat, exp, jti, ...caller }),
        refresh_token: next,
        access_token_expires_at: exp,
        refresh_token_expires_at: Math.floor(Math.min(family.rotated_s + statements.IDLE_SECONDS, family.expires_s)),
        success: true,
      }
      return { status: 200, body }
    },
  }
}

async function insertWallet(client: pg.PoolClient, { user_id, platform_id }: WalletUser) {
  const id = newId('wal')
  const values = [user_id, platform_id, id, new Date()]
  const { rows } = await client.query<statements.WalletRow>({ ...statements.INSERT_WALLET, values })
  if (!rows[0]) throw new Error('the user has a wallet')
  await client.query({ ...statements.INSERT_WALLET_ID, values: [id, user_id] })
  const actor = `wallet_user:${user_id}`
  const changes = [newId('chg'), newId('chg')]
  const both = <T>(value: T) => [value, value]
  const history = [both(id), changes, [null, 'CREATED'], ['CREATED', 'PENDING'], both(actor), both(null)]
  await client.query({ ...statements.INSERT_HISTORY, values: [user_id, ...history] })
  const partner = { partner_from: 'UNKNOWN', partner_to: 'UNKNOWN' }
  const data = { user_id, wallet_id: id, from: 'CREATED', to: 'PENDING', ...partner }
  const event = [newId('evt'), 'wallet.status_changed', platform_id, id, data]
  await client.query({ ...statements.INSERT_EVENT, values: event })
  return rows[0]
}

const present = (wallet: statements.WalletRow, created: boolean) => ({
  partner_wallet_id: wallet.partner_wallet_id,
  user_id: wallet.user_id,
  balance: wallet.balance_paise,
  created,
  wallet_status: wallet.wallet_status,
  wallet_status_partner: wallet.wallet_status_partner,
})
