import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { OneOf, Removable } from '../../../kernel/http/schemas.ts'
import { type Author, changed, operation, unchanged } from '../../../record/index.ts'
import {
  Description,
  EndpointPath,
  EventTypes,
  presentEndpoint,
  sealDescription,
  tags,
  Url,
  versionOf,
  WebhookEndpoint,
} from './records.ts'
import { ENDPOINT_STATUSES, endpointChange } from './states.ts'
import { type Endpoint, endpointInPath, UPDATE_ENDPOINT } from './store.ts'
import { checkTarget, validateEndpoint } from './validate-endpoint.ts'

const EndpointPatch = Type.Object(
  {
    url: Type.Optional(Url),
    event_types: Type.Optional(EventTypes),
    description: Type.Optional(Removable(Description)),
    status: Type.Optional(OneOf(ENDPOINT_STATUSES)),
  },
  { requiresOneOf: ['url', 'event_types', 'description', 'status'], examples: [{ status: 'ACTIVE' }] },
)

export const updateWebhookEndpoint = operation('PATCH /webhook_endpoints/:webhook_endpoint_id', {
  access: 'updateWebhookEndpoint',
  tags,
  summary: 'Update a webhook endpoint',
  description:
    'Top-level JSON merge patch (RFC 7396). `DISABLED` stops deliveries; `ACTIVE` resumes pending ones. Events that happened while it was disabled are sent only by a replay.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: EndpointPath,
  body: EndpointPatch,
  versioned: true,
  response: { 200: WebhookEndpoint },
  problems: ['precondition_failed'],
  validate: validateEndpoint,
  target: endpointInPath,
  version: (endpoint, { deps }) => versionOf(deps.vault, endpoint),
  serializeBy: ({ params }) => params.webhook_endpoint_id,
  change: async ({ target: endpoint, deps, body }, author) => {
    const next = patched(deps.vault, endpoint, body)
    if (next.url !== endpoint.url) await checkTarget(deps, next.url)
    if (isDeepStrictEqual(presentEndpoint(deps.vault, next), presentEndpoint(deps.vault, endpoint)))
      return unchanged(endpoint)
    return changedEndpoint(endpoint, next, author)
  },
  present: (endpoint, { deps }) => changed(versionOf(deps.vault, endpoint)),
})

function patched(vault: Vault, endpoint: Endpoint, patch: Static<typeof EndpointPatch>): Endpoint {
  const { id, dataKey } = endpoint
  const { url = endpoint.url, event_types: eventTypes = endpoint.eventTypes, status = endpoint.status } = patch
  const sealedDescription =
    patch.description === undefined
      ? endpoint.sealedDescription
      : sealDescription(vault.unwrap(dataKey), id, patch.description)
  const changesStatus = status !== endpoint.status
  const disabledReason = !changesStatus ? endpoint.disabledReason : status === 'ACTIVE' ? null : 'requested'
  return { ...endpoint, url, eventTypes, sealedDescription, status, disabledReason }
}

/** Returns the write of a changed endpoint. Enabling it or changing its URL resets its failures. */
export function changedEndpoint(endpoint: Endpoint, next: Endpoint, { at }: Author) {
  const isReset = next.status !== endpoint.status || next.url !== endpoint.url
  return {
    result: nextVersion(next, at),
    ...UPDATE_ENDPOINT.with({
      endpoint_id: endpoint.id,
      revision: endpoint.revision,
      url: next.url,
      event_types: next.eventTypes,
      sealed_description: next.sealedDescription,
      status: next.status,
      disabled_reason: next.disabledReason,
      failing_since: isReset ? null : endpoint.failingSince,
      at,
    }),
    ...(next.status !== endpoint.status && endpointChange(next, endpoint.status)),
  }
}
