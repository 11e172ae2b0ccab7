import { publicSchema, type Schemas } from '../../../kernel/http/openapi-schemas.ts'
import { oneOfKinds } from '../../../kernel/http/schemas.ts'
import { eventSchemas, type EventType, titleOfEvent, VISIBLE_TYPES } from '../../../record/index.ts'
import { FIELD_DESCRIPTIONS } from '../../field-descriptions.ts'
import { EVENT_VALUES } from './states.ts'

export const Event = oneOfKinds({
  tag: 'type',
  kinds: eventSchemas(VISIBLE_TYPES, EVENT_VALUES),
  options: {
    title: 'Event',
    description: 'An event; `type` says which. More types will be added: ignore those that you do not know',
  },
})

/** Returns the JSON Schema of each of these types, by name, with a description of every member. */
export function eventComponents(types: readonly EventType[]): Schemas {
  const components: Schemas = {}
  for (const schema of eventSchemas(types, EVENT_VALUES)) {
    publicSchema({ ...schema }, { components, fieldDescriptions: FIELD_DESCRIPTIONS })
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
