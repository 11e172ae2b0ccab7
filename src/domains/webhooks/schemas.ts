import { type Static, Type } from 'typebox'
import { anyOf, pageOf, pagingQuery, PagingQuery } from '../../kernel/http/paging.ts'
import {
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
} from '../../kernel/http/schemas.ts'
import { POST_FAILURES } from '../../kernel/outbound/post-outside.ts'
import { DELIVERY_STATUSES, DISABLED_REASONS, ENDPOINT_STATUSES } from './states.ts'

const PATTERNS_MAX = 50
const URL_LENGTH_MAX = 2_000

const url = Text({
  maxLength: URL_LENGTH_MAX,
  description: 'Where events are posted to: an https address that is on the internet',
  examples: ['https://hooks.example.com/banyan'],
})
const description = Text({ description: 'For people; what it is for' })
const eventTypes = Type.Array(Text({ maxLength: 60 }), {
  minItems: 1,
  maxItems: PATTERNS_MAX,
  description: 'Types of events, all of a group (`policy.*`), or all (`*`)',
})

const fields = {
  id: Type.String(),
  url,
  event_types: eventTypes,
  description: Nullable(description),
  status: OneOf(ENDPOINT_STATUSES),
  disabled_reason: Nullable(
    OneOf(DISABLED_REASONS, {
      description: '`requested` by its owner, `failing` for five days, or `gone`: it returned 410',
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
  description: 'Where events are sent to',
  examples: [example],
})

const SecretWebhookEndpoint = record(
  'SecretWebhookEndpoint',
  {
    ...fields,
    secret: Type.String({
      description: 'What deliveries are signed with (Standard Webhooks). Shown here and never again.',
    }),
  },
  {
    description: 'An endpoint with a new secret',
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
    at: Timestamp('When it began'),
    status: Nullable(Type.Integer({ description: 'Of the response; `null` when there was none' })),
    error: Nullable(OneOf(POST_FAILURES, { description: 'Why there was no response' })),
    duration_ms: Type.Integer({ description: 'How long it took, in milliseconds' }),
    response: Nullable(Type.String({ description: 'The first KiB of the response' })),
  },
  { title: 'WebhookAttempt', description: 'One try to deliver an event', examples: [attemptExample] },
)

export const WebhookDelivery = record(
  'WebhookDelivery',
  {
    id: Type.String({ description: 'The id of the event, which the receiver sees as `webhook-id`' }),
    event_type: Type.String({ description: 'The type of the event' }),
    status: OneOf(DELIVERY_STATUSES, {
      description: '`PENDING` until a response of 2xx came, or, after ten attempts, it is `FAILED`',
    }),
    attempts: Type.Array(Attempt, { description: 'The last twenty, the first of them first' }),
    next_attempt_at: Nullable(Timestamp('When it is tried next, or soon after')),
    created_at: Timestamp('When it was made'),
  },
  {
    description: 'An event on its way to an endpoint',
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
  { queued: Type.Integer({ description: 'How many events are sent' }) },
  { description: 'How much is replayed', examples: [{ queued: 42 }] },
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
  { from: moment('From when on events are sent'), to: moment('Until when, exclusive') },
  { examples: [{ from: '2026-04-01T00:00:00', to: '2026-04-01T12:00:00' }] },
)

const EndpointPath = Type.Object({ webhook_endpoint_id: PathId('The endpoint') })
const DeliveryPath = Type.Object({
  webhook_endpoint_id: PathId('The endpoint'),
  delivery_id: PathId('The delivery; the id of its event'),
})

const tags = ['Webhooks']

export const createEndpointSchema = {
  tags,
  summary: 'Create a webhook endpoint',
  description:
    'Events are posted there from now on, signed by the Standard Webhooks specification with the `secret` in this response. At most 20 endpoints.',
  body: EndpointInput,
  response: { 201: ref(SecretWebhookEndpoint) },
}

export const listEndpointsSchema = {
  tags,
  summary: 'List webhook endpoints',
  description: 'Newest first, without secrets. Those of administrators belong to all of them.',
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(WebhookEndpoint))) },
}

export const readEndpointSchema = {
  tags,
  summary: 'Read a webhook endpoint',
  description: 'One endpoint by its id, without its secret.',
  params: EndpointPath,
  response: { 200: ref(WebhookEndpoint) },
}

export const updateEndpointSchema = {
  tags,
  summary: 'Update a webhook endpoint',
  description:
    'JSON merge patch at the top level. `DISABLED` stops it; `ACTIVE` has it go on with what waits. What happened while it was disabled is sent by a replay only.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: EndpointPath,
  body: EndpointPatch,
  response: { 200: ref(WebhookEndpoint) },
}

export const deleteEndpointSchema = {
  tags,
  summary: 'Delete a webhook endpoint',
  description: 'Nothing more is sent to it, and what was recorded of it is gone.',
  params: EndpointPath,
  response: { 200: Type.Object({ id: Type.String() }, { examples: [{ id: example.id }] }) },
}

export const rotateSecretSchema = {
  tags,
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'For 24 hours deliveries are signed with both, the new secret and the one before; then with the new one alone.',
  params: EndpointPath,
  response: { 200: ref(SecretWebhookEndpoint) },
}

export const testEndpointSchema = {
  tags,
  summary: 'Send a test event to a webhook endpoint',
  description: 'Queues an event `webhook_endpoint.tested` for this endpoint alone, whatever types it asks for.',
  params: EndpointPath,
  response: { 200: ref(WebhookDelivery) },
}

export const listDeliveriesSchema = {
  tags,
  summary: 'List the deliveries of a webhook endpoint',
  description: 'Of the last 30 days, the newest event first, each with its attempts.',
  params: EndpointPath,
  querystring: Type.Object({ ...pagingQuery, status: anyOf(DELIVERY_STATUSES) }, { additionalProperties: false }),
  response: { 200: pageOf(Type.Array(ref(WebhookDelivery))) },
}

export const replayDeliverySchema = {
  tags,
  summary: 'Replay a delivery',
  description: 'Queues it again, with as many attempts as at first. The event keeps its id.',
  params: DeliveryPath,
  response: { 200: ref(WebhookDelivery) },
}

export const replayRangeSchema = {
  tags,
  summary: 'Replay the events of a time',
  description:
    'Queues every event of that time that the endpoint asks for, also those that were delivered and those that it missed while it was disabled. Events are kept for 30 days; at most 10,000 are replayed at a time.',
  params: EndpointPath,
  body: RangeInput,
  response: { 200: ref(WebhookReplay) },
}
