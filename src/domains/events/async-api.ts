import { SECURITY_SCHEMES } from '../../access/matrix.ts'
import { EVENT_RETENTION_DAYS, EVENTS, exampleOfEvent, PUBLIC_TYPES, titleOfEvent } from '../../record/index.ts'
import { eventComponents } from './schemas.ts'
import { whoReceives } from './who-receives.ts'

const DESCRIPTION = `Events for the partners they concern. They are listed at \`GET /v1/events\`, whose response \`{data, next, has_more, limit}\` has them
in \`data\`, oldest first. They contain ids, types and states; read the record for the rest. More types and members will be added:
ignore those that you do not know.`

/** Returns the events as an AsyncAPI 3.0 document. */
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
    channels: {
      events: {
        address: '/v1/events',
        title: 'Event log',
        description: `The events of the last ${EVENT_RETENTION_DAYS} days, oldest first.`,
        servers: [{ $ref: '#/servers/main' }],
        messages: referring('messages'),
      },
    },
    operations: {
      listEvents: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        title: 'List events',
        description:
          'The receiver polls, and sends `next` as `after` to continue. See the OpenAPI document for details.',
        bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: Object.fromEntries(PUBLIC_TYPES.map((type) => [titleOfEvent(type), messageOf(type)])),
      schemas: eventComponents(PUBLIC_TYPES),
      securitySchemes: { bearer: SECURITY_SCHEMES.bearer },
    },
  }
}

const referring = (kind: string) =>
  Object.fromEntries(PUBLIC_TYPES.map(titleOfEvent).map((name) => [name, { $ref: `#/components/${kind}/${name}` }]))

const messageOf = (type: (typeof PUBLIC_TYPES)[number]) => ({
  name: type,
  title: type,
  summary: EVENTS[type].description,
  description: `Received by ${whoReceives(type)}.`,
  payload: { $ref: `#/components/schemas/${titleOfEvent(type)}` },
  examples: [{ payload: exampleOfEvent(type) }],
})
