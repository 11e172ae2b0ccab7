import { type Static, Type } from 'typebox'
import { wireTime } from '../../../kernel/clock.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { Lines, Nullable, OneOf, PathId, record, Text, Timestamp, TIMES } from '../../../kernel/http/schemas.ts'
import { POST_FAILURES } from '../../../kernel/outbound/post-outside.ts'
import type { Delivery } from './delivery-store.ts'
import { DELIVERY_STATUSES, DISABLED_REASONS, ENDPOINT_STATUSES } from './states.ts'
import type { Endpoint } from './store.ts'

type EndpointKey = { endpointId: string }

/** The first format was bound to the endpoint alone, so that each secret opened in the column of the other. */
const FORMER_SECRETS = [{ row: ({ endpointId }: EndpointKey) => `webhook_endpoints:${endpointId}` }]

export const TEXTS = {
  secret: sealedColumn<string, EndpointKey>('webhook_endpoints.secret', {
    row: ({ endpointId }) => `webhook_endpoints:${endpointId}:secret`,
    former: FORMER_SECRETS,
  }),
  previous_secret: sealedColumn<string, EndpointKey>('webhook_endpoints.previous_secret', {
    row: ({ endpointId }) => `webhook_endpoints:${endpointId}:previous_secret`,
    former: FORMER_SECRETS,
  }),
  sealed_description: sealedColumn<string, EndpointKey>('webhook_endpoints.sealed_description', {
    row: ({ endpointId }) => `webhook_endpoints:${endpointId}:sealed_description`,
  }),
}

/** A description is free text, which may contain personal data. */
export const sealDescription = (key: DataKey, endpointId: string, text: string | null): string | null =>
  text === null ? null : TEXTS.sealed_description.seal(key, { endpointId }, text)

const PATTERNS_MAX = 50
const URL_LENGTH_MAX = 2_000

export const Url = Text({
  maxLength: URL_LENGTH_MAX,
  description: 'URL that receives the events: https, on the public internet',
  examples: ['https://hooks.example.com/banyan'],
})
export const Description = Lines({ maxLength: 200, description: 'Description for people' })
export const EventTypes = Type.Array(Text({ maxLength: 60 }), {
  minItems: 1,
  maxItems: PATTERNS_MAX,
  uniqueItems: true,
  description: 'Event types: single ones, a group (`policy.*`), or all (`*`)',
})

const fields = {
  id: Type.String(),
  url: Url,
  event_types: EventTypes,
  description: Nullable(Description),
  status: OneOf(ENDPOINT_STATUSES),
  disabled_reason: Nullable(
    OneOf(DISABLED_REASONS, {
      description: '`requested` by its owner, `failing` for five days, or `gone` (it responded with 410)',
    }),
  ),
  ...TIMES,
}

export const example = {
  id: 'whe_06bnv3m2r8f1s4k7q9t3v6w0y2',
  url: 'https://hooks.example.com/banyan',
  event_types: ['policy.*', 'user.onboarded'],
  description: 'Follows policies',
  status: 'ACTIVE',
  disabled_reason: null,
  created_at: '2026-04-01T09:30:00',
  last_modified_at: '2026-04-01T09:30:00',
}

export const WebhookEndpoint = record('WebhookEndpoint', fields, {
  description: 'An endpoint that receives events',
  examples: [example],
})

export const ListedWebhookEndpoint = record(
  'ListedWebhookEndpoint',
  {
    ...fields,
    owner_id: Nullable(
      Type.String({ description: 'The platform or benefit provider; `null` for the one that administrators share' }),
    ),
    first_failure_at: Nullable(Timestamp('Time of the first failure since the last success; `null` while it works')),
  },
  {
    description: 'A webhook endpoint, whose it is, and whether it fails',
    examples: [{ ...example, owner_id: 'plt_06bnv3kq0r3cj8m3w0h2d8y6xg', first_failure_at: null }],
  },
)

export const SecretWebhookEndpoint = record(
  'SecretWebhookEndpoint',
  {
    ...fields,
    secret: Type.String({ description: 'Secret that signs deliveries (Standard Webhooks). Never returned again.' }),
  },
  {
    description: 'A webhook endpoint with its new secret',
    examples: [{ ...example, secret: 'whsec_bm90IGEgc2VjcmV0LCBvbmx5IGFuIGV4YW1wbGUu' }],
  },
)

const attemptExample = {
  at: '2026-04-01T09:30:00',
  status: 503,
  error: null,
  duration_ms: 48,
  response: 'Back in a minute',
}

const Attempt = Type.Object(
  {
    at: Timestamp('Time of the attempt'),
    status: Nullable(Type.Integer({ description: 'Status of the response; `null` if there was none' })),
    error: Nullable(OneOf(POST_FAILURES, { description: 'Why there was no response' })),
    duration_ms: Type.Integer({ description: 'Duration in milliseconds' }),
    response: Nullable(Type.String({ description: 'The first KiB of the response' })),
  },
  { title: 'WebhookAttempt', description: 'An attempt to deliver an event', examples: [attemptExample] },
)

export const WebhookDelivery = record(
  'WebhookDelivery',
  {
    id: Type.String({ description: 'Id of the event, sent to the receiver as `webhook-id`' }),
    event_type: Type.String({ description: 'Type of the event' }),
    status: OneOf(DELIVERY_STATUSES, {
      description: '`PENDING` until the receiver responds with 2xx; `FAILED` after ten attempts',
    }),
    attempts: Type.Array(Attempt, { description: 'The last twenty attempts, oldest first' }),
    next_attempt_at: Nullable(Timestamp('Earliest time of the next attempt')),
    created_at: Timestamp('Time of creation'),
  },
  {
    description: 'The delivery of an event to an endpoint',
    examples: [
      {
        id: 'evt_06bnv3m2r8f1s4k7q9t3v6w0y2',
        event_type: 'policy.status_changed',
        status: 'PENDING',
        attempts: [attemptExample],
        next_attempt_at: '2026-04-01T09:30:05',
        created_at: '2026-04-01T09:30:00',
      },
    ],
  },
)

export const WebhookReplay = record(
  'WebhookReplay',
  { queued: Type.Integer({ description: 'Number of events queued' }) },
  { description: 'Result of a replay', examples: [{ queued: 42 }] },
)

export const presentEndpoint = (vault: Vault, endpoint: Endpoint): Static<typeof WebhookEndpoint> => ({
  id: endpoint.id,
  url: endpoint.url,
  event_types: endpoint.eventTypes,
  description: unsealDescription(vault, endpoint),
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  created_at: endpoint.createdAt,
  last_modified_at: endpoint.lastModifiedAt,
})

/** The health is no part of the record: it changes without a change of its version. */
export const presentListed = (vault: Vault, endpoint: Endpoint): Static<typeof ListedWebhookEndpoint> => ({
  ...presentEndpoint(vault, endpoint),
  owner_id: endpoint.owner.kind === 'administrators' ? null : endpoint.owner.id,
  first_failure_at: endpoint.failingSince && wireTime(endpoint.failingSince),
})

function unsealDescription(vault: Vault, { id: endpointId, dataKey, sealedDescription }: Endpoint): string | null {
  if (sealedDescription === null) return null
  return TEXTS.sealed_description.unsealOr(() => vault.unwrap(dataKey), { endpointId }, sealedDescription, UNAVAILABLE)
}

export const versionOf = (vault: Vault, endpoint: Endpoint) => ({
  record: presentEndpoint(vault, endpoint),
  revision: endpoint.revision,
})

export type EndpointWithSecret = { endpoint: Endpoint; secret: string }

export const presentWithSecret = (
  vault: Vault,
  { endpoint, secret }: EndpointWithSecret,
): Static<typeof SecretWebhookEndpoint> => ({ ...presentEndpoint(vault, endpoint), secret })

export const presentDelivery = (delivery: Delivery): Static<typeof WebhookDelivery> => ({
  id: delivery.id,
  event_type: delivery.eventType,
  status: delivery.status,
  attempts: delivery.attempts.map(({ at_ms, status, failure, duration_ms, excerpt }) => ({
    at: wireTime(new Date(at_ms)),
    status,
    error: failure,
    duration_ms,
    response: excerpt,
  })),
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
})

export const EndpointPath = Type.Object({ webhook_endpoint_id: PathId('The webhook endpoint') })
export const tags = ['Webhooks']

const signed = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})

/** What an endpoint receives, for the `webhooks` of the OpenAPI document. */
export const OPENAPI_WEBHOOKS = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Webhooks'],
      summary: 'Receive an event',
      description:
        'Sent to the `url` of your webhook endpoints, signed according to [Standard Webhooks](https://www.standardwebhooks.com). Verify the signature over the raw body before you parse it. An event can arrive twice: `webhook-id` is the same then.',
      security: [],
      parameters: [
        signed('webhook-id', 'Id of the event', 'evt_06bnv3m2r8f1s4k7q9t3v6w0y2'),
        signed('webhook-timestamp', 'Time of the attempt, in Unix seconds', '1775035800'),
        signed(
          'webhook-signature',
          'Signatures, separated by spaces; one valid signature is enough',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } },
      },
      responses: {
        '2XX': { description: 'Received. Respond within 10 seconds, and process afterwards.' },
        '410': { description: 'Disables the endpoint at once.' },
        default: { description: 'A failure, redirects included: the event is sent again later.' },
      },
    },
  },
}
