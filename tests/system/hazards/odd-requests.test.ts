import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestApp } from '../../support/app.ts'
import { NAMED_ORIGIN, oddOrigins } from './odd-origins.ts'
import { oddRequests } from './odd-requests.ts'
import { dial, readRaw } from '../../hazards/raw.ts'

/**
 * The bytes of several hundred odd requests' responses, as recorded before the server last changed. To accept a change, run the file with
 * `RECORD_ODD_REQUESTS=yes` and read what has become different.
 */
const RECORDED = new URL('odd-requests.json', import.meta.url)

/** Slow heads and bodies are given up after this, so that the file is short. */
const LIMIT_MS = 1_500
/** The first search makes the index, which takes seconds on a busy machine. */
const TIMEOUT_MS = 60_000

const t = await openTestApp({ own: true, timeoutFactor: 1 })
const platform = await t.platform()
const { id: user, token: userToken } = await t.user(platform)
const named = { body: { web_origins: [NAMED_ORIGIN] }, token: platform.token }
await t.made('PUT', `/v1/platforms/${platform.id}/web_origins`, named)
await t.webOrigins.read()
await t.app.listen({ host: '127.0.0.1', port: 0 })
const { server } = t.app
const { port } = server.address() as AddressInfo
server.headersTimeout = server.requestTimeout = LIMIT_MS

const { requests, inOrder, http, NEXT } = oddRequests({ token: platform.token, user })
for (const [name, request] of oddOrigins({ http, user: { id: user, token: userToken } })) requests.set(name, [request])

async function bytesFor(parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await dial(port)
  const heard = readRaw(socket, TIMEOUT_MS)
  for (const [at, part] of parts.entries()) {
    if (at > 0) await sleep(100)
    socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
  }
  const { text, closed } = await heard
  return settled(closed ? text : `${text}<stays open>`)
}

const WHILE_CLOSING = 'begun before the server closes, and a further one'

/** A request whose body ends after the server has begun to close, with another one behind it. */
async function bytesWhileClosing(): Promise<string> {
  const socket = await dial(port)
  const heard = readRaw(socket, TIMEOUT_MS)
  const begun = once(server, 'request')
  const whole = http('POST /v1/auth/token', { lines: ['content-type: application/json'], body: '{}', stays: true })
  socket.write(whole.slice(0, -1))
  await begun
  const closed = t.app.close()
  await sleep(100)
  socket.write(whole.slice(-1) + NEXT)
  const { text } = await heard
  await closed
  return settled(text)
}

const BODY_SHOWN_MAX = 1_000
const USUAL =
  /x-request-id: ID\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\ncontent-security-policy: default-src 'none'[^\r]*\r\nreferrer-policy: no-referrer\r\n(strict-transport-security: [^\r]*\r\n)?/g

/** What is the same for two runs: without ids, times, counts and the content of pages. */
function settled(text: string): string {
  return text
    .replaceAll(user, 'USER')
    .replace(/\breq_[\da-z]{26}\b/g, 'ID')
    .replace(/^date: .*$/gim, 'Date: DATE')
    .replace(/^(ratelimit: .*?;r=)\d+;t=\d+/gim, '$1N;t=N')
    .replace(/nonce-[\w-]+/g, 'nonce-N')
    .replace(/"access_token":"[^"]+"/g, '"access_token":"TOKEN"')
    .replace(/"user_id":"\d+"/g, '"user_id":"OTHER"')
    .replace(/"phone_number":"\d+"/g, '"phone_number":"PHONE"')
    .replace(/"keys":\[.*\]/g, '"keys":KEYS')
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'TOKEN')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
    .replace(/-\d{4}-\d\d-\d\d(\.csv")/g, '-DAY$1')
    .replace(
      /<!doctype html>(?:(?!HTTP\/1\.1 \d)[^])*<div id="root">(?:(?!HTTP\/1\.1 \d)[^])*<\/html>\n?/g,
      '<the dashboard>',
    )
    .replace(/"commit":"\w+"/g, '"commit":"COMMIT"')
    .replace(/^(etag: ).*$/gim, '$1TAG')
    .replace(/^(last-modified: ).*$/gim, '$1TIME')
    .replace(/(\r\n\r\n)((?:(?!HTTP\/1\.1 \d).)+)/gs, (whole, gap: string, body: string) =>
      body.length > BODY_SHOWN_MAX ? `${gap}<a long body>` : whole,
    )
    .replace(/^(content-length: )\d{4,}/gim, '$1LONG')
    .replace(USUAL, '<usual headers>\r\n')
}

type Responses = Record<string, string>

async function sendAll(): Promise<Responses> {
  const found: Responses = {}
  const waiting = [...requests]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) found[next[0]] = await bytesFor(next[1])
  }
  await Promise.all(Array.from({ length: 16 }, work))
  for (const [name, request] of inOrder) found[name] = await bytesFor([request])
  found[WHILE_CLOSING] = await bytesWhileClosing()
  return found
}

/** Recorded as each response with the requests that get it, which are fewer lines to read. */
type Recorded = { response: string[]; requests: string[] }[]

function recordOf(found: Responses): Recorded {
  const names = [...requests.keys(), ...inOrder.map(([name]) => name), WHILE_CLOSING]
  const groups = Object.entries(Object.groupBy(names, (name) => found[name] as string))
  return groups.map(([response, alike = []]) => ({ response: response.split('\r\n'), requests: alike }))
}

const responsesIn = (recorded: Recorded): Responses =>
  Object.fromEntries(
    recorded.flatMap(({ response, requests }) => requests.map((name) => [name, response.join('\r\n')])),
  )

describe('an odd request', async () => {
  const found = await sendAll()
  if (process.env['RECORD_ODD_REQUESTS'] !== undefined) {
    writeFileSync(RECORDED, `${JSON.stringify(recordOf(found), null, 1)}\n`)
  }
  const recorded = responsesIn(JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded)

  it('has its response recorded', () => {
    assert.deepEqual(Object.keys(found).toSorted(), Object.keys(recorded).toSorted())
    assert(Object.keys(found).length > 400)
  })

  it('gets the same bytes as before', () => {
    const changed = Object.keys(found).filter((name) => found[name] !== recorded[name])
    const shown = changed.map((name) => `${name}\n--- before\n${recorded[name]}\n--- now\n${found[name]}\n`)
    assert.equal(changed.length, 0, shown.join('\n'))
  })
})
