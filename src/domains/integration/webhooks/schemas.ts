import { type Static, Type } from 'typebox'
import { pageOf, pagingQuery, statusQuery } from '../../../kernel/http/paging.ts'
import {
  Lines,
  Nullable,
  OneOf,
  OrNull,
  PathId,
  record,
  ref,
  Removable,
  Text,
  Timestamp,
  TIMES,
} from '../../../kernel/http/schemas.ts'
import { POST_FAILURES } from '../../../kernel/outbound/post-failures.ts'
import { DELIVERY_STATUSES, DISABLED_REASONS, ENDPOINT_STATUSES } from './states.ts'

const PATTERNS_MAX = 50
const URL_LENGTH_MAX = 2_000

const url = Text({
  maxLength: URL_LENGTH_MAX,
  description: 'URL that receives the events: https, on the public internet',
  examples: ['https://hooks.example.com/banyan'],
})
const description = Lines({ maxLength: 200, description: 'Description for people' })
const eventTypes = Type.Array(Text({ maxLength: 60 }), {
  minItems: 1,
  maxItems: PATTERNS_MAX,
  uniqueItems: true,
  description: 'Event types: single ones, a group (`policy.*`), or all (`*`)',
})

const fields = {
  id: Type.String(),
  url,
  event_types: eventTypes,
  description: Nullable(description),
  status: OneOf(ENDPOINT_STATUSES),
  disabled_reason: Nullable(
    OneOf(DISABLED_REASONS, {
      description: '`requested` by its owner, `failing` for five days, or `gone` (it responded with 410)',
    }),
  ),
  ...TIMES,
}

const example = {
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

const SecretWebhookEndpoint = record(
  'SecretWebhookEndpoint',
  {
    ...fields,
    secret: Type.String({
      description: 'Secret that signs deliveries (Standard Webhooks). Never returned again.',
    }),
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

const WebhookReplay = record(
  'WebhookReplay',
  { queued: Type.Integer({ description: 'Number of events queued' }) },
  { description: 'Result of a replay', examples: [{ queued: 42 }] },
)

export const records = [WebhookEndpoint, SecretWebhookEndpoint, WebhookDelivery, WebhookReplay]

const EndpointInput = Type.Object(
  { url, event_types: eventTypes, description: OrNull(description) },
  { examples: [{ url: example.url, event_types: example.event_types, description: example.description }] },
)
export type EndpointInput = Static<typeof EndpointInput>

const EndpointPatch = Type.Object(
  {
    url: Type.Optional(url),
    event_types: Type.Optional(eventTypes),
    description: Type.Optional(Removable(description)),
    status: Type.Optional(OneOf(ENDPOINT_STATUSES)),
  },
  { requiresOneOf: ['url', 'event_types', 'description', 'status'], examples: [{ status: 'ACTIVE' }] },
)
export type EndpointPatch = Static<typeof EndpointPatch>

const moment = (words: string) =>
  Type.String({ maxLength: 30, description: `${words}, in UTC`, examples: ['2026-04-01T00:00:00'] })

const RangeInput = Type.Object(
  { from: moment('Start of the time range'), to: moment('End of the time range, exclusive') },
  { examples: [{ from: '2026-04-01T00:00:00', to: '2026-04-01T12:00:00' }] },
)

const EndpointPath = Type.Object({ webhook_endpoint_id: PathId('The webhook endpoint') })
const DeliveryPath = Type.Object({
  webhook_endpoint_id: PathId('The webhook endpoint'),
  delivery_id: PathId('Id of the delivery, which is the id of its event'),
})

const EndpointsQuery = Type.Object(
  {
    ...pagingQuery,
    owner: Type.Optional(
      Text({
        description: 'For operators and owners: the id of a platform or benefit provider, whose endpoints to list',
      }),
    ),
  },
  { additionalProperties: false },
)

const tags = ['Webhooks']

export const createEndpointSchema = {
  tags,
  summary: 'Create a webhook endpoint',
  description:
    'New events are posted to the URL, signed according to Standard Webhooks with the `secret` in this response. At most 20 endpoints.',
  body: EndpointInput,
  response: { 201: ref(SecretWebhookEndpoint) },
}

export const listEndpointsSchema = {
  tags,
  summary: 'List webhook endpoints',
  description:
    'Newest first, without secrets. Administrators share theirs; operators and owners read those of a partner with `owner`.',
  querystring: EndpointsQuery,
  response: { 200: pageOf(Type.Array(ref(WebhookEndpoint))) },
}

export const readEndpointSchema = {
  tags,
  summary: 'Read a webhook endpoint',
  description: 'Returns one webhook endpoint, without its secret.',
  params: EndpointPath,
  response: { 200: ref(WebhookEndpoint) },
}

export const updateEndpointSchema = {
  tags,
  summary: 'Update a webhook endpoint',
  description:
    'Top-level JSON merge patch (RFC 7396). `DISABLED` stops deliveries; `ACTIVE` resumes pending ones. Events that happened while it was disabled are sent only by a replay.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: EndpointPath,
  body: EndpointPatch,
  response: { 200: ref(WebhookEndpoint) },
}

export const deleteEndpointSchema = {
  tags,
  summary: 'Delete a webhook endpoint',
  description: 'Stops deliveries and deletes their log.',
  params: EndpointPath,
  response: { 200: Type.Object({ id: Type.String() }, { examples: [{ id: example.id }] }) },
}

export const rotateSecretSchema = {
  tags,
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'For 24 hours deliveries are signed with both the new and the previous secret, then with the new one only.',
  params: EndpointPath,
  response: { 200: ref(SecretWebhookEndpoint) },
}

export const testEndpointSchema = {
  tags,
  summary: 'Send a test event to a webhook endpoint',
  description: 'Queues a `webhook_endpoint.tested` event for this endpoint only, whatever its `event_types`.',
  params: EndpointPath,
  response: { 200: ref(WebhookDelivery) },
}

export const listDeliveriesSchema = {
  tags,
  summary: 'List the deliveries of a webhook endpoint',
  description: 'Deliveries of the last 30 days with their attempts, newest event first.',
  params: EndpointPath,
  querystring: statusQuery(DELIVERY_STATUSES),
  response: { 200: pageOf(Type.Array(ref(WebhookDelivery))) },
}

export const replayDeliverySchema = {
  tags,
  summary: 'Replay a delivery',
  description: 'Queues the delivery again, with ten new attempts. The event keeps its id.',
  params: DeliveryPath,
  response: { 200: ref(WebhookDelivery) },
}

export const replayRangeSchema = {
  tags,
  summary: 'Replay events of a time range',
  description:
    'Queues every event of the time range that matches the `event_types` of the endpoint, including events already delivered and those missed while it was disabled. Events are kept for 30 days; at most 10,000 can be replayed at once.',
  params: EndpointPath,
  body: RangeInput,
  response: { 200: ref(WebhookReplay) },
}

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
