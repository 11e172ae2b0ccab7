import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { addressOf, namesIn } from '../../access/world.ts'
import { PRINCIPALS } from '../../access/role-table.ts'
import type { createCanaries } from '../../support/canaries.ts'
import { type Played, type Player, pointersIn, withValue } from './player.ts'

type Canaries = ReturnType<typeof createCanaries>

/** Each operation that was played, once, and never the one that ends the person. */
const oncePlayed = ({ played }: Player): Played[] => [
  ...new Map(played.map((one) => [one.operation.operationId, one])).values(),
]

/** A version that a path names is made, and is the platform's. */
const MAKING = ['setNotice']

/** Each of the operations with each value of its body wrong, with its address wrong, twice, as nobody, and as no JSON. */
export async function playFailures(player: Player, canaries: Canaries): Promise<void> {
  for (const one of oncePlayed(player)) {
    const { operation, method, path, url, headers, body } = one
    const id = operation.operationId
    const send = (address: string, sending: { headers?: Record<string, string>; body?: string }) =>
      player.ask(id, method, address, { headers, ...sending })
    const text = canaries.text(`${id} (refused)`)
    const whole = body === undefined ? {} : { body: JSON.stringify(body) }
    for (const pointer of body === undefined ? [] : pointersIn(body)) {
      for (const value of [`${text}\u0007`, { [text]: text }]) {
        await send(url, { body: JSON.stringify(withValue(body, pointer, value)) })
      }
    }
    for (const name of MAKING.includes(id) ? [] : namesIn(path))
      await send(addressOf(path, { ...player.ids, [name]: text }), whole)
    const again = { ...headers, ...(headers['idempotency-key'] && { 'idempotency-key': `${text}${randomUUID()}` }) }
    await send(url, { headers: again, ...whole })
    await send(url, { headers, ...whole })
    await send(url, { headers: { ...headers, authorization: `Bearer ${text}`, 'admin-api-key': text }, ...whole })
    if (body === undefined) continue
    await send(url, { body: JSON.stringify(body).slice(0, -1) })
    await send(url, { headers: { ...headers, 'content-type': 'text/plain' }, body: text })
    await send(`${url}${url.includes('?') ? '&' : '?'}limit=${text}`, whole)
  }
}

/** Every operation that reads, by everybody who may; with what is asked for in the address, and with odd headers. */
export async function playReads(
  player: Player,
  { canaries, kept }: { canaries: Canaries; kept: Canaries },
): Promise<void> {
  const { known, ids, tokens, ask } = player
  for (const { operation, method, path } of known.values()) {
    if (method !== 'GET') continue
    const id = operation.operationId
    const url = addressOf(path, ids)
    const text = canaries.text(`${id} (refused)`)
    const callers = PRINCIPALS.filter((one) => operation['x-callers']?.[one] && tokens[one])
    for (const caller of callers) {
      const token = tokens[caller] ?? ''
      const headers = caller === 'admin_key' ? { 'admin-api-key': token } : { authorization: `Bearer ${token}` }
      await ask(id, 'GET', url, { headers })
    }
    if (callers.length === 0) await ask(id, 'GET', url)
    const token = tokens[callers.at(-1) ?? 'platform'] ?? ''
    for (const { in: where, name } of operation.parameters ?? []) {
      if (where === 'query') await ask(id, 'GET', `${url}?${name}=${text}`, { token })
      const value = name === 'Purpose' ? kept.text('header:Purpose') : text
      if (where === 'header') await ask(id, 'GET', url, { token, headers: { [name]: value } })
      if (where === 'path') await ask(id, 'GET', addressOf(path, { ...ids, [name]: text }), { token })
    }
  }
  const text = canaries.text('nowhere')
  await ask('nowhere', 'GET', `/v1/${text}/${text}?access_token=${text}`, {})
  await ask('nowhere', 'PROPFIND', `/v1/users/${text}`, { headers: { cookie: `__Host-banyan_session=${text}` } })
  await ask('nowhere', 'POST', '/v1/oauth/token', {
    headers: { authorization: `Basic ${text}` },
    body: { [text]: text },
  })
}

/** What ends something, after everything else was tried. */
export async function playEndings(player: Player): Promise<void> {
  const { ask, ids, tokens } = player
  const range = { from: '2026-04-01T00:00:00', to: '2026-04-02T00:00:00' }
  const base = `/v1/webhook_endpoints/${ids['webhook_endpoint_id']}`
  await ask('replayWebhookEvents', 'POST', `${base}/replay`, { token: tokens.platform ?? '', body: range })
  const origins = { web_origins: ['https://app.example.com'] }
  await ask('setWebOrigins', 'PUT', `/v1/platforms/${ids['platform_id']}/web_origins`, {
    token: tokens.platform ?? '',
    body: origins,
  })
  await ask('setWalletLimits', 'PUT', `/v1/platforms/${ids['platform_id']}/wallet_limits`, {
    token: tokens.operator ?? '',
    body: { wallet_limits: [{ from_day: '2999-01-01', balance: 1_000_000 }] },
  })
  for (const operation of ['replayWebhookDelivery', 'refreshWallet', 'retryWallet', 'cancelErasure'])
    await attempt(player, operation)
  for (const operation of ['assignInsurancePolicy', 'releaseInsurancePolicy']) await attempt(player, operation)
  for (const operation of ['deleteDocumentUpload', 'deleteHealthCardUpload', 'deleteWebhookEndpoint'])
    await attempt(player, operation)
  const { refresh_token } = ids
  await ask('logOutOfWallet', 'POST', '/wallet/v1/auth/logout', { body: { refresh_token } })
  for (const operation of [
    'deleteBenefit',
    'endAdministratorSession',
    'revokeBenefitProviderCredential',
    'revokePlatformCredential',
  ]) {
    await attempt(player, operation)
  }
}

/** Calls an operation that has no body as the last of those who may; it may be rejected. */
async function attempt({ known, ids, tokens, ask }: Player, id: string): Promise<void> {
  const { method, path, operation } = known.get(id) ?? assert.fail(id)
  const caller = PRINCIPALS.findLast((one) => operation['x-callers']?.[one] && tokens[one])
  const others = { credential_id: 'crd_missing', session_id: 'ads_missing', ...ids }
  const reply = await ask(id, method, addressOf(path, others), { token: (caller && tokens[caller]) ?? '' })
  assert(reply.status < 500, `${id}: ${reply.text}`)
}
