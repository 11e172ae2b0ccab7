import crypto from 'node:crypto'
import { randomUUID } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after } from 'node:test'
import type { TestApp } from '../support/app.ts'
import type { bodiesIn, World } from './world.ts'

/** Keys, responses stored for their callers, and the names of administrators: nobody reads a user's data there. */
const isOfPerson = (row: string) =>
  !/^(data-key|idempotency_keys|administrators|administrator_sessions|webhook_endpoints)\b/.test(row)

/** Watches whose sealed values this process decrypts; returns them, and begins again, at each call. */
export function watchDecryption(): () => Set<'user' | 'sponsor'> {
  const rows: string[] = [] // from the associated data of the values
  const { createDecipheriv } = crypto
  const watched = (...[algorithm, key, iv, options]: Parameters<typeof createDecipheriv>) => {
    const decipher = createDecipheriv(algorithm, key, iv, options)
    if (!('setAAD' in decipher)) return decipher
    const { setAAD } = decipher as crypto.DecipherGCM
    return Object.assign(decipher, {
      setAAD(associated: Buffer) {
        rows.push(associated.toString())
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
  return () => {
    const people = rows.splice(0).filter(isOfPerson)
    return new Set(people.map((row) => (row.startsWith('sponsors:') ? 'sponsor' : 'user')))
  }
}

/** Adds records for lists that would be empty, and a search that finds a user; returns the policy whose timeline has a reason. */
export async function fillWorld(t: TestApp, world: World, bodies: ReturnType<typeof bodiesIn>): Promise<string> {
  const { ids, tokens } = world
  const user = { id: ids['user_id'] ?? '', token: tokens.user, phone: '' }
  const at = `/v1/users/${user.id}`
  const policy = await t.policy(world.platform, user, await t.benefit(world.platform, world.provider))
  const status = { status: 'VERIFICATION', reason: 'All is well' }
  await t.made('PUT', `${at}/insurance_policies/${policy}/status`, { token: tokens.provider, body: status })
  const message = { body: { content: 'Hello', message_type: 'TEXT' } }
  const messages = `${at}/consultations/${ids['consultation_id']}/messages`
  await t.made('POST', messages, { token: tokens.platform, body: message })
  const credit = { amount: 500, reference: 'seen-1', description: 'May' }
  const headers = { 'idempotency-key': randomUUID() }
  await t.made('POST', `${at}/wallet/credits`, { token: tokens.platform, body: credit, headers })
  const known = await t.onboardedUser(world.platform)
  // Other tests make more platforms than an administrator may search at once.
  const platform_id = world.platform.id
  bodies['POST /v1/users/search'] = { phone_country_code: '+91', phone_number: known.phone, platform_id }
  return policy
}
