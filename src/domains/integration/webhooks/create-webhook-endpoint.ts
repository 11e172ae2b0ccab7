import { type Static, Type } from 'typebox'
import { newWebhookSecret } from '../../../kernel/crypto/sign-webhook.ts'
import { findEnd } from '../../../kernel/db/log-position.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { OrNull } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import { type Author, type Change, created, type Deps, operation } from '../../../record/index.ts'
import { ownerOf } from './owner-of.ts'
import {
  Description,
  type EndpointWithSecret,
  EventTypes,
  example,
  presentWithSecret,
  sealDescription,
  SecretWebhookEndpoint,
  tags,
  TEXTS,
  Url,
  versionOf,
} from './records.ts'
import { endpointChange } from './states.ts'
import { type Endpoint, ENDPOINTS_MAX, findSlots, INSERT_ENDPOINT } from './store.ts'
import { checkTarget, validateEndpoint } from './validate-endpoint.ts'

const EndpointInput = Type.Object(
  { url: Url, event_types: EventTypes, description: OrNull(Description) },
  { examples: [{ url: example.url, event_types: example.event_types, description: example.description }] },
)

export const createWebhookEndpoint = operation('POST /webhook_endpoints', {
  access: 'createWebhookEndpoint',
  tags,
  summary: 'Create a webhook endpoint',
  description:
    'New events are posted to the URL, signed according to Standard Webhooks with the `secret` in this response. At most 20 endpoints.',
  body: EndpointInput,
  versioned: true,
  response: { 201: SecretWebhookEndpoint },
  problems: ['conflict'],
  validate: validateEndpoint,
  serializeBy: ({ request }) => `webhooks:${ownerOf(request.caller).id}`,
  change: ({ deps, body }, author) => decideEndpoint(deps, body, author),
  present: (withSecret, { deps: { vault }, request }) => ({
    ...created(createLocation(request, withSecret.endpoint.id), versionOf(vault, withSecret.endpoint)),
    body: presentWithSecret(vault, withSecret),
  }),
})

/** Throws 422 when the URL may not be called, 409 at the limit. */
export async function decideEndpoint(
  deps: Pick<Deps, 'db' | 'vault' | 'targets'>,
  { url, event_types: eventTypes, description }: Static<typeof EndpointInput>,
  { at, caller }: Author,
): Promise<Change<EndpointWithSecret>> {
  await checkTarget(deps, url)
  const owner = ownerOf(caller)
  const [usedSlots, beginsAt] = await Promise.all([findSlots(deps.db, owner), findEnd(deps.db)])
  const slot = freeSlot(usedSlots)
  const id = newId('whe')
  const { wrapped: dataKey, key } = deps.vault.newDataKey()
  const secret = newWebhookSecret()
  const endpoint: Endpoint = {
    id,
    owner,
    url,
    eventTypes,
    sealedDescription: sealDescription(key, id, description ?? null),
    status: 'ACTIVE',
    disabledReason: null,
    dataKey,
    secret: TEXTS.secret.seal(key, { endpointId: id }, secret),
    previousSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    beginsAt,
    ...firstVersion(at),
  }
  return {
    result: { endpoint, secret },
    ...INSERT_ENDPOINT.with({
      endpoint_id: id,
      owner_kind: owner.kind,
      owner_id: owner.id,
      slot,
      url,
      event_types: eventTypes,
      sealed_description: endpoint.sealedDescription,
      status: endpoint.status,
      data_key: dataKey,
      secret: endpoint.secret,
      at,
      begins_at: beginsAt,
    }),
    ...endpointChange(endpoint, null),
  }
}

/** Throws 409 at the limit. */
function freeSlot(used: ReadonlySet<number>): number {
  const slot = Array.from({ length: ENDPOINTS_MAX }, (_, index) => index + 1).find((one) => !used.has(one))
  if (slot === undefined) throw limitReached(`There are already ${ENDPOINTS_MAX} webhook endpoints. Delete one first.`)
  return slot
}
