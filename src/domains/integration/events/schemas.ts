import { Type } from 'typebox'
import { publicSchema, type Schemas } from '../../../kernel/http/openapi-schemas.ts'
import { anyOf, cursorPageOf, pagingQuery } from '../../../kernel/http/paging.ts'
import { oneOfKinds, Text } from '../../../kernel/http/schemas.ts'
import {
  EVENT_RETENTION_DAYS,
  eventSchemas,
  type EventType,
  PUBLIC_TYPES,
  titleOfEvent,
  VISIBLE_TYPES,
} from '../../../record/index.ts'
import { FIELD_DESCRIPTIONS } from '../../field-words.ts'
import { EVENT_WORDS } from './states.ts'

/** The value of `after` besides event ids. */
export const LATEST = 'latest'

const Event = oneOfKinds({
  tag: 'type',
  kinds: eventSchemas(VISIBLE_TYPES, EVENT_WORDS),
  options: {
    title: 'Event',
    description: 'An event; `type` says which. More types will be added: ignore those that you do not know',
  },
})

export const listEventsSchema = {
  tags: ['Events'],
  summary: 'List events',
  description: `The events of the last ${EVENT_RETENTION_DAYS} days, oldest first. A platform gets its own events; a benefit provider those of its policies, their documents, its consultations, benefits, credentials and webhook endpoints.

Send \`next\` as \`after\` to continue: at once while \`has_more\` is true, otherwise whenever you like. You then miss nothing and get nothing twice. With \`type\`, a page can be short or empty although \`has_more\` is true. Without \`after\` the list starts ${EVENT_RETENTION_DAYS} days ago, with \`after=${LATEST}\` now.

An event is listed once every write that began before it has finished, usually within milliseconds. Events about one record are in the order in which they happened.`,
  querystring: Type.Object(
    {
      type: anyOf(PUBLIC_TYPES),
      subject: Type.Optional(
        Text({ maxLength: 100, description: 'Only events about the record with this id.', examples: ['012345678901'] }),
      ),
      limit: pagingQuery.limit,
      after: Type.Optional(
        Text({
          maxLength: 100,
          description: `Cursor: \`next\` of the previous page, which is the id of an event, or \`${LATEST}\`.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: cursorPageOf(Type.Array(Event)) },
}

/** Returns the JSON Schema of each of these types, by name, with a description of every member. */
export function eventComponents(types: readonly EventType[]): Schemas {
  const components: Schemas = {}
  for (const schema of eventSchemas(types, EVENT_WORDS)) {
    publicSchema({ ...schema }, { components, fieldWords: FIELD_DESCRIPTIONS })
  }
  return components
}

/** All types in one JSON Schema, for programs that check what they receive. */
export const eventsSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Events of Banyan',
  description:
    'An event as listed by `GET /v1/events` and sent to webhook endpoints. More types and members will be added: ignore those that you do not know.',
  oneOf: VISIBLE_TYPES.map((type) => ({ $ref: `#/$defs/${titleOfEvent(type)}` })),
  $defs: eventComponents(VISIBLE_TYPES),
})
