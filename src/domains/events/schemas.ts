import { Type } from 'typebox'
import { publicSchema, type Schemas } from '../../kernel/http/openapi-schemas.ts'
import { anyOf, cursorPageOf, pagingQuery } from '../../kernel/http/paging.ts'
import { oneOfKinds, Text } from '../../kernel/http/schemas.ts'
import { EVENT_SCHEMAS, PUBLIC_TYPES, titleOfEvent } from '../../record/index.ts'
import { FIELD_DESCRIPTIONS } from '../field-words.ts'

/** The value of `after` besides event ids. */
export const LATEST = 'latest'

const Event = oneOfKinds({
  tag: 'type',
  kinds: EVENT_SCHEMAS,
  options: {
    title: 'Event',
    description:
      'Something that happened, told apart by `type`. There will be further types: pass over those that you do not know',
  },
})

export const listEventsSchema = {
  tags: ['Events'],
  summary: 'List what has happened',
  description: `The events of the last 30 days, oldest first. A platform gets those that concern it; a benefit provider those of its policies, their documents, its consultations, benefits and credentials.

Read on by sending \`next\` as \`after\`: at once while \`has_more\` is true, later otherwise, as often as you like. So nothing is missed and nothing comes twice. With \`type\` a page can be short, or empty, and \`has_more\` true all the same. Without \`after\` the list begins 30 days ago, with \`after=${LATEST}\` now.

An event is listed as soon as everything that was being written before it is written, usually after some milliseconds. Events about one thing are in the order in which they happened.`,
  querystring: Type.Object(
    {
      type: anyOf(PUBLIC_TYPES),
      subject: Type.Optional(
        Text({ maxLength: 100, description: 'Only what is about this thing: its id.', examples: ['012345678901'] }),
      ),
      limit: pagingQuery.limit,
      after: Type.Optional(
        Text({
          maxLength: 100,
          description: `Where to go on: \`next\` of the page before, which is the id of an event, or \`${LATEST}\`.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: cursorPageOf(Type.Array(Event)) },
}

/** The JSON Schema of each type, by name, with a description of every member. */
export function eventComponents(): Schemas {
  const components: Schemas = {}
  for (const schema of EVENT_SCHEMAS) publicSchema({ ...schema }, { components, fieldWords: FIELD_DESCRIPTIONS })
  return components
}

/** All types in one JSON Schema, for programs that check what they receive. */
export const eventsSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Events of Banyan',
  description:
    'An event as `GET /v1/events` lists it. There will be further types and further members: pass over those that you do not know.',
  oneOf: PUBLIC_TYPES.map((type) => ({ $ref: `#/$defs/${titleOfEvent(type)}` })),
  $defs: eventComponents(),
})
