import { type TSchema, Type } from 'typebox'
import { FIELD_DESCRIPTIONS } from '../../src/domains/field-descriptions.ts'
import { whoReceives } from '../../src/domains/integration/events/async-api.ts'
import { EVENT_RETENTION_DAYS, EVENTS, type EventType, exampleOfEvent, VISIBLE_TYPES } from '../../src/record/index.ts'
import { json, page } from './markdown.ts'

const INTRODUCTION = `Events report changes to the partners they concern. They contain ids, types and states and no personal data; read the record for
the rest. They are listed at \`GET /v1/events\` for ${EVENT_RETENTION_DAYS} days, and sent to [webhook endpoints](../partners/webhooks.md).

\`id\` identifies the event: use it to detect duplicates. \`timestamp\` is RFC 3339 in UTC with milliseconds. \`subject\` is the id of
the record the event is about; events about one record are in the order in which they happened. \`platform_id\` is the platform the event
belongs to, \`null\` if none.

More types and members will be added: ignore those that you do not know. The [AsyncAPI document](../../asyncapi.json) describes the same
for programs.`

/** Returns the page of all event types: when they occur, who receives them, what they contain. */
export const eventsPage = (): string => page('Events', INTRODUCTION, ...VISIBLE_TYPES.map(entryOf))

function entryOf(type: EventType): string {
  const { description, subject, payload } = EVENTS[type]
  const members = Object.entries<TSchema>(payload.properties).map(
    ([name, member]) => `\`${name}\` (${Type.IsOptional(member) ? 'not always: ' : ''}${wordsOf(name)})`,
  )
  return `## \`${type}\`

${description}

**Who receives it:** ${whoReceives(type)}.

**Contents:** \`subject\` is the \`${subject}\`. \`data\` has ${members.join(', ')}.

${json(exampleOfEvent(type))}`
}

const wordsOf = (name: string) =>
  (FIELD_DESCRIPTIONS[name] ?? name).replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
