import { docsPage, paragraph, section } from '../../kernel/http/docs-page.ts'
import { EVENTS, type EventType, exampleOfEvent, PUBLIC_TYPES } from '../../record/index.ts'
import { FIELD_DESCRIPTIONS } from '../field-words.ts'
import { whoReceives } from './who-receives.ts'

const INTRODUCTION = [
  'Events say what has happened, to those it concerns: by ids, types and states, with nothing about a person. What is behind an id is read where it lives. They are listed at `GET /v1/events` for 30 days.',
  '`id` names the event: whoever meets the same id again has had it. `timestamp` is RFC 3339 in UTC, to the millisecond. `subject` is the id of the thing that it is about; events about one thing are in the order in which they happened. `platform_id` is the platform it belongs to, `null` for what belongs to none.',
  'There will be further types and further members: pass over those that you do not know. Programs can take all of this from the AsyncAPI document at `/asyncapi.json`.',
]

/** Returns the page of all event types: when they occur, who receives them, what they contain. */
export const eventsPage = (): string =>
  docsPage(
    'Events',
    `${INTRODUCTION.map(paragraph).join('\n')}
<ul>${PUBLIC_TYPES.map((type) => `<li><a href="#${type}"><code>${type}</code></a></li>`).join('')}</ul>
${PUBLIC_TYPES.map(sectionOf).join('\n')}`,
  )

function sectionOf(type: EventType): string {
  const { description, subject, payload } = EVENTS[type]
  const members = Object.keys(payload.properties).map((name) => `\`${name}\` (${wordsOf(name)})`)
  return section({
    id: type,
    heading: `<code>${type}</code>`,
    paragraphs: [
      description,
      `**Who receives it:** ${whoReceives(type)}.`,
      `**What it is about:** \`subject\` is the \`${subject}\`. \`data\` has ${members.join(', ')}.`,
    ],
    example: exampleOfEvent(type),
  })
}

const wordsOf = (name: string) =>
  (FIELD_DESCRIPTIONS[name] ?? name).replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
