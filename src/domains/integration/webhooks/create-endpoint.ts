import type { Deps } from '../../../deps.ts'
import { newWebhookSecret } from '../../../kernel/crypto/sign-webhook.ts'
import { findEnd } from '../../../kernel/db/log-position.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { invalid, limitReached } from '../../../kernel/problem-error.ts'
import type { By, Change } from '../../../record/index.ts'
import { ownerOf } from './owner-of.ts'
import type { EndpointInput } from './schemas.ts'
import { sealDescription, sealSecret } from './seal-secret.ts'
import { endpointChange } from './states.ts'
import { type Endpoint, ENDPOINTS_MAX, findSlots, INSERT_ENDPOINT } from './store.ts'

export type EndpointWithSecret = { endpoint: Endpoint; secret: string }

/**
 * Creates an endpoint of the caller; the result includes the secret. Throws 422 when its URL may not be called, 409 at
 * the limit.
 */
export async function createEndpoint(
  { db, vault, targets }: Pick<Deps, 'db' | 'vault' | 'targets'>,
  { url, event_types: eventTypes, description }: EndpointInput,
  by: By,
): Promise<Change<EndpointWithSecret>> {
  await checkTarget(targets, url)
  const owner = ownerOf(by.caller)
  const [usedSlots, beginsAt] = await Promise.all([findSlots(db, owner), findEnd(db)])
  const slot = Array.from({ length: ENDPOINTS_MAX }, (_, index) => index + 1).find((one) => !usedSlots.has(one))
  if (slot === undefined) {
    throw limitReached(`There are already ${ENDPOINTS_MAX} webhook endpoints. Delete one first.`)
  }
  const id = newId('whe')
  const { wrapped: dataKey, key } = vault.newDataKey()
  const secret = newWebhookSecret()
  const sealed = sealSecret(key, { endpointId: id, column: 'secret' }, secret)
  const sealedDescription = sealDescription(key, id, description ?? null)
  const endpoint: Endpoint = {
    id,
    owner,
    url,
    eventTypes,
    sealedDescription,
    status: 'ACTIVE',
    disabledReason: null,
    dataKey,
    secret: sealed,
    previousSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    beginsAt,
    ...firstVersion(by.at),
  }
  const { status } = endpoint
  return {
    result: { endpoint, secret },
    write: INSERT_ENDPOINT,
    values: [
      id,
      owner.kind,
      owner.id,
      slot,
      url,
      eventTypes,
      sealedDescription,
      status,
      dataKey,
      sealed,
      by.at,
      beginsAt,
    ],
    ...endpointChange(endpoint, null),
  }
}

/** Throws 422 when a URL may not be called. */
export async function checkTarget(targets: Deps['targets'], url: string): Promise<void> {
  const detail = await targets.findError(url)
  if (detail !== undefined) throw invalid([{ pointer: '/url', code: 'format', detail }])
}
