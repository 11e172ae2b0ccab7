import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { EVENTS, type EventType } from '../../../src/record/catalogue.ts'
import { openTestApp } from '../../support/app.ts'
import { readSources } from '../../support/sources.ts'
import { walk } from '../../record/walk.ts'

const TYPES = Object.keys(EVENTS) as EventType[]

type Shape = {
  type?: string
  properties?: Record<string, Shape>
  additionalProperties?: boolean
  required?: string[]
  items?: Shape
  anyOf?: Shape[]
  const?: unknown
  enum?: unknown[]
  pattern?: string
  maxLength?: number
}

const shapeOf = (schema: TSchema) => schema as unknown as Shape

/** The schema of an enum: it allows only letters, so no number, name or sentence of a person fits. */
const isWord = ({ type, pattern }: Shape) => type === 'string' && pattern === '^[A-Za-z_]{1,50}$'
const isId = ({ type, maxLength }: Shape) => type === 'string' && maxLength === 100
const isNull = ({ type }: Shape) => type === 'null'
/** The first or last day of a term, or the last day to do something, which is no day of birth. */
const isDayOfTerm = (name: string, { pattern }: Shape) =>
  ['start_date', 'end_date', 'due_on'].includes(name) && pattern === '^\\d{4}-\\d{2}-\\d{2}$'
const isLiteral = (shape: Shape) => typeof shape.const === 'string'

/** What is wrong with a member of a payload, by its name and schema. */
function errorsOf(name: string, shape: Shape): string[] {
  if (shape.anyOf) return shape.anyOf.flatMap((one) => (isNull(one) || isLiteral(one) ? [] : errorsOf(name, one)))
  if (isWord(shape)) return []
  if (name.endsWith('_ids') && shape.type === 'array' && shape.items && isId(shape.items)) return []
  if (/_(id|type)$/.test(name) && isId(shape)) return []
  if (name === 'fields' && shape.items?.enum) return []
  if ((name.endsWith('_version') || name === 'days_left') && shape.type === 'integer') return []
  if (isDayOfTerm(name, shape)) return []
  return [
    `${name}: neither an id nor a type nor a state, nor a name of a field, nor a number of a version, nor a day of a term`,
  ]
}

/** Members of the events of benefit providers, which those of platforms lack. */
const OF_PROVIDER: Partial<Record<EventType, readonly string[]>> = {
  'user.erased': ['benefit_provider_id', 'insurance_policy_ids'],
}

describe('the catalogue of events', () => {
  it('has payloads of ids, types, states, names of fields, numbers of versions and days of a term alone, that include their subject', () => {
    assert(TYPES.length > 20)
    for (const type of TYPES) {
      const { payload, subject } = EVENTS[type]
      const { properties = {}, additionalProperties, required = [], ...shape } = shapeOf(payload)
      assert.deepEqual([shape.type, additionalProperties], ['object', false], type)
      assert.deepEqual([...required, ...(OF_PROVIDER[type] ?? [])].toSorted(), Object.keys(properties).toSorted(), type)
      assert(required.includes(subject), type)
      const errors = Object.entries(properties).flatMap(([name, member]) => errorsOf(name, member))
      assert.deepEqual(errors, [], type)
    }
  })

  it('has for each event its description and its receivers', () => {
    for (const type of TYPES) {
      const { description, audience } = EVENTS[type]
      assert.match(description, /^[A-Z].+\.$/, type)
      assert.equal(new Set(audience).size, audience.length, type)
    }
  })

  it('gives benefit providers what names one, platforms all but internal events, and nobody a code', () => {
    const ofNobody = [
      'administrator.status_changed',
      'account_provider.status_changed',
      'one_time_code.requested',
      'webhook_endpoint.tested',
    ]
    for (const type of TYPES) {
      const members = Object.keys(shapeOf(EVENTS[type].payload).properties ?? {})
      const namesProvider = members.includes('benefit_provider_id') || members.includes('owner_kind')
      const expected = ofNobody.includes(type) ? [] : ['platform', ...(namesProvider ? ['provider'] : [])]
      assert.deepEqual(EVENTS[type].audience, expected, type)
    }
  })

  it('has from and to for states, and the state machines emit every transition', () => {
    const machines = readSources('src/domains').flatMap(({ path, code }) =>
      [...code.matchAll(/\bmachine\(\{[^}]*?event: '([^']+)'/g)].map((match) => ({
        path,
        type: match[1] as EventType,
      })),
    )
    assert(machines.length >= 2)
    for (const { path, type } of machines) {
      assert.match(type, /\.status_changed$/, path)
      const { properties = {} } = shapeOf(EVENTS[type].payload)
      assert(properties['from'] && properties['to'], path)
    }
    for (const type of TYPES) {
      const { properties = {} } = shapeOf(EVENTS[type].payload)
      assert.equal('from' in properties, type.endsWith('.status_changed'), type)
    }
  })
})

type Row = { event_id: string; type: EventType; platform_id: string | null; subject: string; data: object }
type Change = { entity_id: string; from_status: string | null; to_status: string }

/** The event of a record's states, by the prefix of its id. */
const REPORTED_BY: Record<string, EventType> = {
  plt: 'platform.status_changed',
  spn: 'sponsor.status_changed',
  apr: 'account_provider.status_changed',
  adm: 'administrator.status_changed',
  pol: 'policy.status_changed',
  edo: 'endorsement.status_changed',
  acc: 'account.status_changed',
  wal: 'wallet.status_changed',
  con: 'consultation.status_changed',
  rrq: 'rights_request.status_changed',
}

/** Changes with an event of their own, once each time. */
const REPORTED_BY_NAME: Record<string, EventType> = {
  'spn new': 'sponsor.created',
  'bnf ACTIVE': 'benefit.created',
  'bnf ARCHIVED': 'benefit.deleted',
  'fil DELETED': 'document.upload_deleted',
  'usr ERASED': 'user.erased',
  'whe ACTIVE': 'webhook_endpoint.enabled',
  'whe DISABLED': 'webhook_endpoint.disabled',
}

const kindOf = (id: string) => (/^\d{12}$/.test(id) ? 'usr' : id.slice(0, 3))
const nameOf = ({ entity_id, from_status, to_status }: Change) =>
  `${kindOf(entity_id)} ${kindOf(entity_id) === 'spn' && from_status === null ? 'new' : to_status}`

describe('after every kind of event', async () => {
  const t = await openTestApp({ own: true })
  await walk(t)
  const events = await t.sql<Row>('select event_id, type, platform_id, subject, data from events order by event_id')
  const changes = await t.sql<Change>(
    `select entity_id, from_status, to_status from user_status_changes
      union all select entity_id, from_status, to_status from catalogue_status_changes`,
  )
  const none = (errors: { type: EventType; says: string }[]) =>
    assert.deepEqual(
      errors.map(({ type, says }) => `${type} ${says}`),
      [],
    )

  it('each type of event exists', () => {
    const seen = new Set(events.map(({ type }) => type))
    none(TYPES.filter((type) => !seen.has(type)).map((type) => ({ type, says: 'is not there' })))
  })

  it('each event conforms to the catalogue, and includes its subject', () => {
    const isRight = ({ type, subject, data }: Row) => {
      const entry = EVENTS[type]
      return Value.Check(entry.payload, data) && subject === (data as Record<string, unknown>)[entry.subject]
    }
    assert(events.every(({ type }) => TYPES.includes(type)))
    none(events.filter((event) => !isRight(event)).map(({ type, data }) => ({ type, says: JSON.stringify(data) })))
  })

  it('each event has only ids, types, states, names of fields, numbers of versions and days of a term', () => {
    const isOurs = (word: unknown) =>
      word === null ||
      (Number.isInteger(word) && Number(word) < 100) ||
      (typeof word === 'string' &&
        /^([a-z]{2,4}_[0-9a-z]{26}|[01]\d{11}|[A-Za-z_]{1,50}(\/(self|dep_[0-9a-z]{26}))?)$/.test(word))
    const isDay = (name: string, word: unknown) =>
      (name.endsWith('_date') || name === 'due_on') && /^2\d{3}-\d\d-\d\d$/.test(String(word))
    const wordsOf = ({ data }: Row) =>
      Object.entries(data)
        .filter(([name, word]) => !isDay(name, word))
        .flatMap(([, word]) => word as unknown)
    none(
      events
        .filter((event) => !wordsOf(event).every(isOurs))
        .map(({ type, data }) => ({ type, says: JSON.stringify(data) })),
    )
  })

  it('each event about a user has the platform, but those of a benefit provider about an erasure', () => {
    const isOfProvider = ({ type, data }: Row) => type === 'user.erased' && 'benefit_provider_id' in data
    const nameless = events.filter((event) => 'user_id' in event.data && !event.platform_id?.startsWith('plt_'))
    none(nameless.filter((event) => !isOfProvider(event)).map(({ type }) => ({ type, says: 'names no platform' })))
    const named = events.filter((event) => isOfProvider(event) && event.platform_id !== null)
    none(named.map(({ type }) => ({ type, says: 'names a platform, which would read it' })))
  })

  it('each change of a status in the history has its event, and vice versa', () => {
    assert(changes.length > 20)
    const reported = events.flatMap(({ type, subject, data }) => {
      const { from, to, partner_from, partner_to } = data as Record<string, string | null>
      if (!type.endsWith('.status_changed')) return []
      const steps = [from !== to && [from, to], partner_from !== partner_to && [partner_from, partner_to]]
      return steps.flatMap((step) => (step ? [{ type, says: [subject, ...step].join(' ') }] : []))
    })
    const named = changes.filter((change) => nameOf(change) in REPORTED_BY_NAME)
    for (const [name, type] of Object.entries(REPORTED_BY_NAME)) {
      const count = named.filter((change) => nameOf(change) === name).length
      const reports = events.filter((event) => event.type === type && !('insurance_policy_ids' in event.data))
      assert.equal(reports.length, count, type)
    }
    // A new sponsor is reported by name and by its first status.
    const written = changes
      .filter((change) => !named.includes(change) || nameOf(change) === 'spn new')
      .map(({ entity_id, from_status, to_status }) => {
        const type = REPORTED_BY[kindOf(entity_id)]
        assert(type, `an event names ${entity_id}`)
        return { type, says: [entity_id, from_status, to_status].join(' ') }
      })
    const says = (all: { says: string }[]) => new Set(all.map((one) => one.says))
    none(written.filter((change) => !says(reported).has(change.says)))
    none(reported.filter((change) => !says(written).has(change.says)))
  })
})
