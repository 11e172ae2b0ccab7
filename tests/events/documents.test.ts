import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { EVENTS, type EventType, PUBLIC_TYPES, VISIBLE_TYPES } from '../../src/record/catalogue.ts'
import { openTestApp } from '../support/app.ts'
import { readText } from '../support/sources.ts'

const t = await openTestApp()

type Json = Record<string, unknown>
type Message = { name: string; summary: string; payload: { $ref: string }; examples: { payload: Json }[] }
type AsyncApi = {
  asyncapi: string
  info: { version: string }
  channels: Record<'events' | 'webhook', { address: string | null; messages: Record<string, { $ref: string }> }>
  operations: Record<string, { action: string; channel: { $ref: string } }>
  components: { messages: Record<string, Message>; schemas: Record<string, Json> }
}

const parsed = <T>(name: string) => JSON.parse(readText(name)) as T
const asyncApi = parsed<AsyncApi>('asyncapi.json')
const schema = parsed<Json & { oneOf: object[] }>('events.schema.json')

const page = await t.app.inject({ url: '/docs/events', headers: { accept: 'text/html' } })

/** Returns the page's text on a type, and its example. */
function sectionOf(type: EventType) {
  const anchor = type.replaceAll('.', '')
  const [, text = ''] = new RegExp(`<h2 id="${anchor}">(.*?)(?=<h2 id=|<nav)`, 's').exec(page.body) ?? []
  const [, example = '{}'] = /<code class="language-json">(.*?)<\/code>/s.exec(text) ?? []
  return { text, example: JSON.parse(example.replaceAll('&quot;', '"')) as Json }
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { date: true, 'date-time': true, int64: true } })
const isEvent = ajv.compile(schema)

describe('events.schema.json', () => {
  it('has each type of event that somebody receives, and no other', () => {
    assert.equal(schema.oneOf.length, VISIBLE_TYPES.length)
    assert(VISIBLE_TYPES.includes('webhook_endpoint.tested'), 'a test of an endpoint is delivered')
    for (const type of VISIBLE_TYPES)
      assert(isEvent(sectionOf(type).example), `${type} ${JSON.stringify(isEvent.errors)}`)
    assert(!readText('events.schema.json').includes('one_time_code'))
  })

  it('names the states that the record itself can show, and no other word', () => {
    const { example } = sectionOf('policy.status_changed')
    const data = example['data'] as Json
    assert(isEvent({ ...example, data: { ...data, from: null, to: 'PENDING' } }))
    assert(!isEvent({ ...example, data: { ...data, to: 'COMPLETED' } }))
    assert(!isEvent({ ...example, data: { ...data, to: null } }))
    for (const type of VISIBLE_TYPES.filter((one) => one.endsWith('.status_changed'))) {
      const { example: other } = sectionOf(type)
      assert(!isEvent({ ...other, data: { ...(other['data'] as Json), to: 'UNHEARD_OF' } }), type)
    }
  })

  it('allows additional members, and rejects a missing one, a wrong type or a malformed time', () => {
    const { example } = sectionOf('policy.status_changed')
    assert(isEvent({ ...example, added_later: 1, data: { ...(example['data'] as Json), added_later: 1 } }))
    for (const wrong of [
      { ...example, data: {} },
      { ...example, type: 'wallet.status_changed' },
      { ...example, type: 'policy.issued' },
      { ...example, timestamp: '2026-04-01T09:30:00Z' },
      { ...example, platform_id: undefined },
    ]) {
      assert(!isEvent(wrong), JSON.stringify(wrong))
    }
  })
})

describe('GET /events.schema.json', () => {
  it('200 with the committed document', async () => {
    const response = await t.app.inject('/events.schema.json')
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^application\/json/)
    assert.deepEqual(response.json(), schema)
  })
})

const inHtml = (text: string) => text.replaceAll(/`([^`]+)`/g, '<code>$1</code>')

describe('GET /docs/events', () => {
  it('200 as an HTML page', () => {
    assert.equal(page.statusCode, 200)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  })

  it('lists each type with its occasion, its receivers, its subject and an example', () => {
    for (const type of VISIBLE_TYPES) {
      const { description, audience, subject, payload } = EVENTS[type]
      const { text, example } = sectionOf(type)
      assert(text.includes(`<p>${inHtml(description)}</p>`), type)
      assert.equal(
        text.includes('the platform concerned') || text.includes('the platform and'),
        audience.includes('platform'),
      )
      assert.equal(text.includes('benefit provider concerned'), audience.includes('provider'), type)
      assert.match(text, PUBLIC_TYPES.includes(type) ? /administrators/ : /the webhook endpoint that it names/)
      assert(text.includes(`<code>subject</code> is the <code>${subject}</code>`), type)
      for (const name of Object.keys(payload.properties))
        assert.match(text, new RegExp(`<code>${name}</code> \\(\\w`), name)
      assert.equal(example['type'], type)
      assert.equal(example['subject'], (example['data'] as Json)[subject])
    }
    assert(!page.body.includes('one_time_code'))
  })
})

describe('GET /asyncapi.json', () => {
  it('200 with the committed document, with the URLs of this installation', async () => {
    const response = await t.app.inject('/asyncapi.json')
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^application\/json/)
    const { info, servers: _servers, ...rest } = response.json<Json>()
    const { info: _info, servers: _committed, ...committed } = parsed<Json>('asyncapi.json')
    assert.deepEqual(rest, committed)
    assert.deepEqual(response.json<{ servers: { main: Json } }>().servers.main['host'], 'banyan.test')
    assert.equal((info as Json)['version'], '0.0.0')
  })

  it('is AsyncAPI 3.0 with a message for each type, and all its references resolve', () => {
    assert.equal(asyncApi.asyncapi, '3.0.0')
    const { channels, components, operations } = asyncApi
    assert.equal(channels.events.address, '/v1/events')
    assert.equal(operations['listEvents']?.channel.$ref, '#/channels/events')
    const messagesIn = (channel: keyof AsyncApi['channels']) =>
      Object.values(channels[channel].messages).map(({ $ref }) => {
        const message = components.messages[$ref.replace('#/components/messages/', '')]
        assert(message, $ref)
        return message
      })
    const namesIn = (channel: keyof AsyncApi['channels']) => messagesIn(channel).map(({ name }) => name)
    assert.deepEqual(namesIn('events').toSorted(), PUBLIC_TYPES.toSorted())
    assert.equal(operations['deliverEvent']?.channel.$ref, '#/channels/webhook')
    const messages = messagesIn('webhook')
    assert.deepEqual(namesIn('webhook').toSorted(), VISIBLE_TYPES.toSorted())
    assert(VISIBLE_TYPES.includes('webhook_endpoint.tested') && !PUBLIC_TYPES.includes('webhook_endpoint.tested'))
    for (const { name, payload, examples } of messages) {
      const described = components.schemas[payload.$ref.replace('#/components/schemas/', '')]
      assert(described, name)
      assert(examples.length > 0)
      for (const example of examples) assert(ajv.validate(described, example.payload), name)
    }
  })
})
