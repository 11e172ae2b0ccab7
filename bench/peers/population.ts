import { readFileSync } from 'node:fs'
import { dependantCount, userInputOf } from '../families.ts'
import type { Tenant } from '../fill.ts'
import type { Stage } from '../stage.ts'
import { createPeerDatabase, type PeerDatabase } from './peer-database.ts'

const USERS_AT_ONCE = 1_000
const SCHEMA = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')

/** The rows of the product, as the bare peers keep them. */
export type BareDatabase = PeerDatabase & {
  addUsers(userIds: string[]): Promise<void>
  /** Takes away the wallets that were made while measuring. */
  forgetWallets(): Promise<void>
}

export async function fillBare(stage: Stage, tenant: Tenant): Promise<BareDatabase> {
  const database = await createPeerDatabase(stage, { name: 'peers', schema: SCHEMA })
  const { platformId, benefitIds, people } = tenant
  const benefits = benefitIds.map((benefit_id, place) => ({ benefit_id, name: `Cover ${place + 1}` }))
  await database.insert('benefits', benefits)
  for (let from = 0; from < people.length; from += USERS_AT_ONCE) {
    const indexes = people.slice(from, from + USERS_AT_ONCE).map((_, place) => from + place)
    for (const [table, rows] of Object.entries(familyRows(tenant, indexes))) await database.insert(table, rows)
  }
  return {
    ...database,
    addUsers: (userIds) => {
      const rows = userIds.map((user_id) => ({ user_id, platform_id: platformId, phone: user_id, created_at: NOW }))
      return database.insert('users', rows)
    },
    forgetWallets: () =>
      database.work(async (client) => void (await client.query(`delete from wallets where wallet_status = 'PENDING'`))),
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
