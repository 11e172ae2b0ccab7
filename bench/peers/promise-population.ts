import assert from 'node:assert/strict'
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { PRIVATE } from '../../src/domains/cover/policies/index.ts'
import { DEPENDANT_PROFILE } from '../../src/domains/people/dependants/index.ts'
import { USER_PROFILE } from '../../src/domains/people/users/index.ts'
import { createVault as createProductVault, type DataKey } from '../../src/kernel/crypto/vault.ts'
import { type Tenant, withClient } from '../fill.ts'
import type { Stage } from '../stage.ts'
import { createPeerDatabase, type PeerDatabase } from './peer-database.ts'
import { dependantHash, identityOf, type TokenInput } from './promises/identify-user.ts'
import { type Cipher, createVault, KEY_BYTES, TAG_BYTES, type Vault } from './promises/vault.ts'

const USERS_AT_ONCE = 1_000
const SCHEMA = readFileSync(new URL('promises/schema.sql', import.meta.url), 'utf8')

/** The bytes of libsodium, which the project does not depend on. */
const SEALING: Cipher = {
  seal(key, nonce, associated, plain) {
    const cipher = createCipheriv('chacha20-poly1305', createSecretKey(key), nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(associated, { plaintextLength: plain.length })
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  unseal: () => assert.fail('nothing is read'),
}

/** The rows of the product, sealed by the peers' own keys, which `settings` pass to them. */
export type PromiseDatabase = PeerDatabase & {
  settings: Record<'MASTER_KEY' | 'HASH_KEY', string>
  /** Copies users that the product has. */
  addUsers(userIds: string[]): Promise<void>
}

export async function fillPromises(stage: Stage, tenant: Tenant): Promise<PromiseDatabase> {
  const database = await createPeerDatabase(stage, { name: 'peers_with_promises', schema: SCHEMA })
  const [masterKey, hashKey] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES)]
  const vault = createVault(SEALING, { masterKey, hashKey })
  const copy = copying(stage, { tenant, vault })
  const addUsers = async (userIds: string[]) => {
    for (let from = 0; from < userIds.length; from += USERS_AT_ONCE) {
      const tables = await copy(userIds.slice(from, from + USERS_AT_ONCE))
      for (const [table, rows] of Object.entries(tables)) await database.insert(table, rows)
    }
  }
  await database.insert('benefits', await readProduct(stage, 'select benefit_id, name from benefits'))
  await addUsers(tenant.people.map(({ userId }) => userId))
  const settings = { MASTER_KEY: masterKey.toString('base64'), HASH_KEY: hashKey.toString('base64') }
  return { ...database, settings, addUsers }
}

type Row = Record<string, string> & { user_id: string; sealed: string }

const readProduct = (stage: Stage, text: string, values: unknown[] = []): Promise<Row[]> =>
  withClient(stage.config.databaseUrl, async (client) => (await client.query<Row>(text, values)).rows)

const ROWS_OF = {
  users: 'select user_id, platform_id, data_key, sealed from users',
  dependants: 'select user_id, dependant_id, created_at, last_modified_at, sealed from dependants',
  insurance_policies: `select user_id, policy_id, benefit_id, plan_code, status, dependant_ids, nominee_dependant_id,
         start_date, end_date, currency, premium_annual_paise, premium_daily_paise, premium_sponsor_paise,
         external_policy_id, master_policy_number, issued_dependant_ids, sealed, created_at, last_modified_at
    from insurance_policies`,
  wallets: 'select user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner from wallets',
}

type Keys = { from: DataKey; to: Buffer }

/** Returns a function that reads users of the product with their records, and seals them for the peers. */
function copying(stage: Stage, { tenant, vault }: { tenant: Tenant; vault: Vault }) {
  const product = createProductVault(stage.config.keys)
  const idProofs = new Map(tenant.people.map(({ userId, input }) => [userId, input.id_proof]))

  function sealUser({ from, to }: Keys, { user_id, platform_id, sealed }: Row) {
    const { title: _, bank_details: __, ...sent } = USER_PROFILE.unseal(from, { id: user_id }, sealed)
    const idProof = idProofs.get(user_id)
    const input = { ...sent, ...(idProof && { id_proof: idProof }) } as TokenInput
    const identity = identityOf(vault, tenant.platformId, input)
    return {
      user_id,
      platform_id,
      sealed: vault.seal(to, `users:${user_id}`, identity.profile),
      profile_digest: bytea(identity.digest),
      phone_hash: bytea(identity.phoneHash),
      id_proof_hash: identity.idProofHash && bytea(identity.idProofHash),
      id_proof_last4: identity.idProofLast4,
    }
  }

  function sealDependant({ from, to }: Keys, row: Row) {
    const { user_id: userId, dependant_id: id = '' } = row
    const profile = DEPENDANT_PROFILE.unseal(from, { userId, id }, row.sealed)
    return {
      ...row,
      sealed: vault.seal(to, `dependants:${userId}:${id}`, profile),
      identity_hash: bytea(dependantHash(vault, userId, profile)),
      actor: `platform:${tenant.platformId}`,
    }
  }

  function sealPolicy({ from, to }: Keys, row: Row) {
    const { user_id: userId, policy_id: id = '', sealed } = row
    const own = sealed === null ? null : PRIVATE.unseal(from, { userId, id }, sealed)
    return { ...row, sealed: own && vault.seal(to, `insurance_policies:${userId}:${id}`, own) }
  }

  return async (userIds: string[]): Promise<Record<keyof typeof ROWS_OF, object[]>> => {
    const read = (table: keyof typeof ROWS_OF) =>
      readProduct(stage, `${ROWS_OF[table]} where user_id = any ($1)`, [userIds])
    const dependants = await read('dependants')
    const own = Map.groupBy(dependants, ({ user_id }) => user_id)
    const keys = new Map<string, Keys>()
    const users = (await read('users')).map((row) => {
      const { wrapped, key } = vault.newDataKey()
      const both = { from: product.unwrap(row['data_key'] as string), to: key }
      keys.set(row.user_id, both)
      return { ...sealUser(both, row), data_key: wrapped, dependants: own.get(row.user_id)?.length ?? 0 }
    })
    const resealed = (rows: Row[], seal: (keys: Keys, row: Row) => object) =>
      rows.map((row) => seal(keys.get(row.user_id) as Keys, row))
    return {
      users,
      dependants: resealed(dependants, sealDependant),
      insurance_policies: resealed(await read('insurance_policies'), sealPolicy),
      wallets: await read('wallets'),
    }
  }
}

const bytea = (hex: string) => `\\x${hex}`
