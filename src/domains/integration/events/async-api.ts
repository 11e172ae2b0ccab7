import { SECURITY_SCHEMES } from '../../../access/security-schemes.ts'
import {
  type EventType,
  EVENT_RETENTION_DAYS,
  EVENTS,
  exampleOfEvent,
  PUBLIC_TYPES,
  titleOfEvent,
  VISIBLE_TYPES,
} from '../../../record/index.ts'
import { eventComponents } from './records.ts'

const DESCRIPTION = `Events for the partners they concern. They are listed at \`GET /v1/events\`, whose response \`{data, next, has_more, limit}\` has them
in \`data\`, oldest first, and each is posted to the webhook endpoints that subscribe to it. They contain ids, types, states and names of fields; read the record for the rest. More types and members will be added:
ignore those that you do not know.`

export function asyncApi({ origin, version }: { origin: string; version: string }): Record<string, unknown> {
  const { host, protocol } = new URL(origin)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Banyan events',
      version,
      description: DESCRIPTION,
      contact: { name: 'The operators of this installation', url: origin },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [{ name: 'Events', description: 'Events' }],
    },
    defaultContentType: 'application/json',
    servers: {
      main: {
        host,
        protocol: protocol.replace(':', ''),
        description: 'This installation',
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels: channels(),
    operations: {
      listEvents: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        title: 'List events',
        description:
          'The receiver polls, and sends `next` as `after` to continue. See the OpenAPI document for details.',
        bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
      },
      deliverEvent: {
        action: 'send',
        channel: { $ref: '#/channels/webhook' },
        title: 'Deliver an event',
        description:
          'Respond with 2xx within 10 seconds. An event can arrive twice, with the same `webhook-id`. `webhooks` in the OpenAPI document has the details.',
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: Object.fromEntries(VISIBLE_TYPES.map((type) => [titleOfEvent(type), toMessage(type)])),
      schemas: eventComponents(VISIBLE_TYPES),
      securitySchemes: { bearer: SECURITY_SCHEMES.bearer },
    },
  }
}

const channels = () => ({
  events: {
    address: '/v1/events',
    title: 'Event log',
    description: `The events of the last ${EVENT_RETENTION_DAYS} days, oldest first.`,
    servers: [{ $ref: '#/servers/main' }],
    messages: referring(PUBLIC_TYPES),
  },
  webhook: {
    address: null,
    title: 'Webhook endpoint',
    description:
      'The `url` of a webhook endpoint (`POST /v1/webhook_endpoints`). Requests are signed according to Standard Webhooks.',
    messages: referring(VISIBLE_TYPES),
  },
})

const referring = (types: readonly EventType[]) =>
  Object.fromEntries(types.map(titleOfEvent).map((name) => [name, { $ref: `#/components/messages/${name}` }]))

const toMessage = (type: EventType) => ({
  name: type,
  title: type,
  summary: EVENTS[type].description,
  description: `Received by ${whoReceives(type)}.`,
  payload: { $ref: `#/components/schemas/${titleOfEvent(type)}` },
  examples: [{ payload: exampleOfEvent(type) }],
})

export function whoReceives(type: EventType): string {
  if ('isUnlisted' in EVENTS[type]) return 'the webhook endpoint that it names, whatever its `event_types`'
  const { audience } = EVENTS[type]
  const names = audience.map((one) => (one === 'platform' ? 'the platform' : 'the benefit provider'))
  return names.length === 0 ? 'administrators only' : `${names.join(' and ')} concerned, and administrators`
}
