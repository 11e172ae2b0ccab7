import assert from 'node:assert/strict'
import type { TestApp, TestResponse } from '../support/app.ts'
import type { Kept, Recorded } from './kept.ts'
import { sha256 } from './record-responses.ts'

const AT_ONCE = 8

type Headers = Record<string, string>

/** The headers of each recorded caller, with tokens that the program of today issues for what the earlier one gave out. */
export async function callersOf(t: TestApp, { scene }: Kept): Promise<Map<string, Headers>> {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const exchange = async (basicToken: string) => {
    const body = { grant_type: 'client_credentials' }
    const headers = { authorization: `Basic ${basicToken}` }
    return String((await t.made('POST', '/v1/oauth/token', { headers, body })).access_token)
  }
  const platforms = await Promise.all(scene.platforms.map(({ basicToken }) => exchange(basicToken)))
  const providers = await Promise.all(scene.providers.map(({ basicToken }) => exchange(basicToken)))
  const [adminKey] = t.keys.adminApiKeys
  const callers = new Map<string, Headers>([
    ['owner', bearer(t.owner)],
    ['operator', bearer(t.operator)],
    ['viewer', bearer(t.viewer)],
    ...platforms.map((token, index) => [`platform ${index}`, bearer(token)] as const),
    ...providers.map((token, index) => [`provider ${index}`, bearer(token)] as const),
    ['admin key', { 'admin-api-key': adminKey?.key ?? '' }],
  ])
  for (const { id, platformId, identity } of scene.users) {
    const token = platforms[scene.platforms.findIndex((platform) => platform.id === platformId)] ?? assert.fail()
    const { user_id, access_token } = await t.made('POST', '/v1/auth/token', { token, body: identity })
    assert.equal(user_id, id, 'the same phone and id proof are the same user')
    callers.set(`user ${id}`, bearer(access_token))
    callers.set(`wallet ${id}`, bearer(await t.walletToken({ id: platformId }, { id })))
  }
  return callers
}

/**
 * Sends every recorded read again, as every caller who got the response, when the responses were recorded: later, some
 * lists are shorter. Returns what differs.
 */
export async function differencesIn(t: TestApp, kept: Kept): Promise<string[]> {
  t.clock.at = new Date(kept.scene.madeAt)
  try {
    return await differencesNow(t, kept)
  } finally {
    t.clock.at = undefined
  }
}

async function differencesNow(t: TestApp, kept: Kept): Promise<string[]> {
  const callers = await callersOf(t, kept)
  const differences: string[] = []
  const rest = kept.responses.flatMap((recorded) => recorded.callers.map((name) => ({ recorded, name })))
  assert(rest.length > 500, 'there is something to compare')
  const take = async () => {
    for (let one = rest.shift(); one; one = rest.shift()) {
      const { recorded, name } = one
      const headers = callers.get(name) ?? assert.fail(name)
      const response = await t.call('GET', recorded.path, { headers })
      differences.push(...differencesOf(recorded, response).map((text) => `${recorded.path} as ${name}: ${text}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  return differences
}

function differencesOf({ path, body, sha256: hash }: Recorded, response: TestResponse): string[] {
  if (response.status !== 200) return [`status ${response.status}`]
  if (!path.includes('/documents/')) return membersOf(body, response.body, '')
  if (hash === undefined) return response.text.startsWith('%PDF-') ? [] : ['not a PDF']
  return hash === sha256(response.bytes) ? [] : ['other bytes']
}

const isOffered = (to: string, now: string[]) => to !== 'REQUIRES_CUSTOMER_RENEWAL' || now.includes(to)

/** What follows the clock or the reads themselves. */
const MOVING = /\/last_used_at$|^\/(exported_at|schema|access_log)$/

/** Members that differ. Those that the earlier version did not have are left out: the API grows. */
function membersOf(before: unknown, now: unknown, at: string): string[] {
  if (MOVING.test(at)) return []
  // Only the owner opens the renewal window early since 0.2.0.
  if (at.endsWith('/allowed_transitions')) before = (before as string[]).filter((to) => isOffered(to, now as string[]))
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null)
    return before === now ? [] : [`${at || '/'} ${JSON.stringify(before)} is ${JSON.stringify(now)} now`]
  if (Array.isArray(before) && before.length !== (now as unknown[]).length) return [`${at} has another length now`]
  return Object.entries(before).flatMap(([name, value]) =>
    membersOf(value, (now as Record<string, unknown>)[name], `${at}/${name}`),
  )
}
