import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { dependantCount, userInputOf } from '../families.ts'
import { type Tenant, withClient } from '../fill.ts'
import type { Stage } from '../stage.ts'

const DATABASE = 'peers'
const USERS_AT_ONCE = 1_000
const SCHEMA = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')

/** The rows of the product, as the peers keep them, in a database of the same server. */
export type PeerDatabase = {
  url: string
  addUsers(userIds: string[]): Promise<void>
  /** Takes away the wallets that were made while measuring. */
  forgetWallets(): Promise<void>
  settle(): Promise<void>
}

export async function fillPeers(stage: Stage, tenant: Tenant): Promise<PeerDatabase> {
  const owner = stage.config.migrationDatabaseUrl
  await withClient(owner, (client) => client.query(`create database ${DATABASE}`))
  const address = new URL(owner ?? '')
  address.pathname = `/${DATABASE}`
  const url = address.href
  // The product's connections look for its schema alone.
  const work = <T>(what: (client: pg.Client) => Promise<T>) =>
    withClient(url, async (client) => {
      await client.query('set search_path to public')
      return what(client)
    })
  const insert = (client: pg.Client, table: string, rows: object[]) =>
    client.query(
      `insert into ${table} (${Object.keys(rows[0] ?? {}).join(', ')})
       select ${Object.keys(rows[0] ?? {}).join(', ')} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    )
  await work(async (client) => {
    await client.query(SCHEMA)
    await insert(
      client,
      'benefits',
      tenant.benefitIds.map((benefit_id, place) => ({ benefit_id, name: `Cover ${place + 1}` })),
    )
    for (let from = 0; from < tenant.people.length; from += USERS_AT_ONCE) {
      const indexes = tenant.people.slice(from, from + USERS_AT_ONCE).map((_, place) => from + place)
      for (const [table, rows] of Object.entries(familyRows(tenant, indexes))) await insert(client, table, rows)
    }
  })
  const { platformId } = tenant
  return {
    url,
    addUsers: (userIds) =>
      work(async (client) => {
        const rows = userIds.map((user_id) => ({ user_id, platform_id: platformId, phone: user_id, created_at: NOW }))
        if (rows.length > 0) await insert(client, 'users', rows)
      }),
    forgetWallets: () =>
      work(async (client) => void (await client.query(`delete from wallets where wallet_status = 'PENDING'`))),
    settle: () =>
      work(async (client) => {
        await client.query('vacuum analyze')
        await client.query('checkpoint')
      }),
  }
}

const NOW = '2026-04-01T09:00:00Z'

function familyRows({ people, platformId, benefitIds }: Tenant, indexes: number[]): Record<string, object[]> {
  const users: object[] = []
  const dependants: object[] = []
  const policies: object[] = []
  const wallets: object[] = []
  for (const index of indexes) {
    const person = people[index]
    if (!person) continue
    const { userId: user_id, walletId: wallet_id } = person
    const { id_proof, phone_country_code, phone_number, first_name, last_name, email } = userInputOf(index)
    const phone = phone_country_code + phone_number
    const own = { user_id, created_at: NOW }
    users.push({ ...own, platform_id: platformId, phone, id_proof: id_proof.number, first_name, last_name, email })
    const ids = Array.from({ length: dependantCount(index) }, (_, place) => `dep_${user_id}_${place}`)
    for (const dependant_id of ids)
      dependants.push({ ...own, dependant_id, first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' })
    for (const [place, benefit_id] of benefitIds.entries())
      policies.push({ ...own, policy_id: `pol_${user_id}_${place}`, benefit_id, dependant_ids: ids, ...POLICY })
    if (wallet_id !== undefined) wallets.push({ ...own, wallet_id, wallet_status: 'COMPLETED' })
  }
  return { users, dependants, policies, wallets }
}

const POLICY = {
  plan_code: 'FAMILY_5L',
  status: 'ISSUED',
  start_date: '2026-04-01',
  end_date: '2027-03-31',
  premium_annual_paise: 1_204_500,
  premium_daily_paise: 3_300,
  premium_sponsor_paise: 602_250,
}
