import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { randomUUID } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, describe, it } from 'node:test'
import { matrix } from '../../src/access/matrix.ts'
import { addressOf, bodiesIn, needsIn, openWorld } from '../access/world.ts'
import { PRINCIPALS, ROLE_TABLE } from '../access/role-table.ts'
import { openTestApp } from '../support/app.ts'

/** The rows whose sealed values were opened, from their associated data. */
const opened: string[] = []
const { createDecipheriv } = crypto
const watched = (...[algorithm, key, iv, options]: Parameters<typeof createDecipheriv>) => {
  const decipher = createDecipheriv(algorithm, key, iv, options)
  if (!('setAAD' in decipher)) return decipher
  const { setAAD } = decipher as crypto.DecipherGCM
  return Object.assign(decipher, {
    setAAD(associated: Buffer) {
      opened.push(associated.toString())
      return setAAD.call(decipher, associated)
    },
  })
}
Object.assign(crypto, { createDecipheriv: watched })
syncBuiltinESMExports()
after(() => {
  Object.assign(crypto, { createDecipheriv })
  syncBuiltinESMExports()
})

const t = await openTestApp({ own: true })
const world = await openWorld(t)
const [bodies, needs] = [bodiesIn(world), needsIn(t, world)]
const paths = (t.app.swagger().paths ?? {}) as Record<string, Record<string, { operationId?: string }>>

/** Keys, responses stored for their callers, and the names of administrators: nobody reads a user's data there. */
const isOfPerson = (row: string) =>
  !/^(data-key|idempotency_keys|administrators|administrator_sessions|webhook_endpoints)\b/.test(row)

/** The data it opens is changed, and the entry of the change covers that: the response has none of it. */
const SHOWS_NOTHING = ['issueToken']

const user = await t.onboardedUser(world.platform)
const { platform, provider } = world.tokens
/** Records for lists that would be empty, and a user to be found. */
async function fill(): Promise<void> {
  const at = `/v1/users/${world.ids['user_id']}`
  const benefit = await t.benefit(world.platform, world.provider)
  const policy = await t.policy(world.platform, { id: world.ids['user_id'] ?? '', token: '', phone: '' }, benefit)
  const status = { status: 'VERIFICATION', reason: 'All is well' }
  await t.made('PUT', `${at}/insurance_policies/${policy}/status`, { token: provider, body: status })
  world.ids['insurance_policy_id_with_reason'] = policy
  const message = { body: { content: 'Hello', message_type: 'TEXT' } }
  await t.made('POST', `${at}/consultations/${world.ids['consultation_id']}/messages`, {
    token: platform,
    body: message,
  })
  const credit = { amount: 500, reference: 'seen-1', description: 'May' }
  const headers = { 'idempotency-key': randomUUID() }
  await t.made('POST', `${at}/wallet/credits`, { token: platform, body: credit, headers })
  bodies['POST /v1/users/search'] = { phone_country_code: '+91', phone_number: user.phone }
}
await fill()

/** The ids that an operation is called with. */
const idsFor = (operation: string | undefined, made = {}) => ({
  ...world.ids,
  ...(operation === 'listInsurancePolicyTimeline' && {
    insurance_policy_id: world.ids['insurance_policy_id_with_reason'] ?? '',
  }),
  ...made,
})

describe('operations that decrypt personal data', () => {
  for (const row of ROLE_TABLE) {
    const name = `${row.method} ${row.path}`
    const operation = paths[row.path]?.[row.method.toLowerCase()]?.operationId ?? ''
    it(`are those that take a purpose and are audited: ${name}`, async () => {
      const rows = new Set<string>()
      for (const principal of PRINCIPALS.filter((one) => row.grants[one])) {
        const ids = idsFor(operation, await needs[name]?.(principal))
        const body = typeof bodies[name] === 'function' ? bodies[name]() : bodies[name]
        const secret = world.tokens[principal]
        const isFile = Buffer.isBuffer(body)
        opened.length = 0
        await t.call(row.method, addressOf(row.path, ids), {
          ...(principal === 'admin_key' ? { adminKey: secret } : { token: secret }),
          ...(body !== undefined && { body }),
          headers: { 'idempotency-key': randomUUID(), ...(isFile && { 'content-type': 'application/pdf' }) },
        })
        for (const one of opened.filter(isOfPerson)) rows.add(one.startsWith('sponsors:') ? 'sponsor' : 'user')
      }
      const { opens } = matrix[operation as keyof typeof matrix]
      const found = rows.has('user') ? 'user' : [...rows][0]
      assert.equal(opens, SHOWS_NOTHING.includes(operation) ? undefined : found)
    })
  }
})
