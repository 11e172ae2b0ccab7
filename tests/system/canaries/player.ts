import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { dereferenced } from '../../../tools/dereferenced.ts'
import { addressOf, type Ids } from '../../access/world.ts'
import { PRINCIPALS, type Principal } from '../../access/role-table.ts'
import type { Body } from '../../support/app.ts'
import type { createCanaries, Schema } from '../../support/canaries.ts'
import { type Client, clientOf, type Reply } from '../../support/server.ts'

type Operation = {
  operationId: string
  'x-callers'?: Partial<Record<Principal, string>>
  requestBody?: { content: Record<string, { schema: Schema }> }
  parameters?: { in: string; name: string; schema: Schema }[]
}
type Document = { paths: Record<string, Record<string, Operation>> }

/** An operation of the document, with where it is. */
export type Known = { method: string; path: string; operation: Operation; schema: Schema | undefined }

/** A request that was sent, so that it can be sent again with something wrong in it. */
export type Played = Known & { url: string; token: string; headers: Record<string, string>; body: unknown }

type Playing = {
  as?: Principal
  /** What must be in the body; each other text of it is a canary. */
  given?: object
  ids?: Ids
  query?: string
  headers?: Record<string, string>
  /** A PDF, in letters of ASCII. */
  file?: string
}

type Settings = {
  origin: string
  canaries: ReturnType<typeof createCanaries>
  kept: ReturnType<typeof createCanaries>
  /** Tokens and secrets that responses give out are added to these. */
  secrets: Set<string>
}

export type Player = Awaited<ReturnType<typeof preparePlayer>>

/** Sends each operation of the OpenAPI document with a canary in each text that it takes. */
export async function preparePlayer({ origin, canaries, kept, secrets }: Settings) {
  const send = clientOf(origin)
  const document = dereferenced((await send('GET', '/openapi.json')).body as Document)
  const known = new Map(operationsIn(document).map((one) => [one.operation.operationId, one]))
  const tokens: Partial<Record<Principal, string>> = {}
  const ids: Ids = {}
  const played: Played[] = []
  const responses: { operation: string; reply: Reply }[] = []

  /** Every response is searched later. */
  const ask = async (operation: string, ...[method, url, sending]: Parameters<Client>): Promise<Reply> => {
    const reply = await send(method, url, sending)
    responses.push({ operation, reply })
    if (reply.status < 300) for (const [, secret = ''] of reply.text.matchAll(SECRET_MEMBERS)) secrets.add(secret)
    return reply
  }

  function headersFor({ operation }: Known, as: Principal | undefined): Record<string, string> {
    const takes = new Set(
      operation.parameters?.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()),
    )
    const isAdministrator = as === 'owner' || as === 'operator' || as === 'viewer'
    const id = operation.operationId
    return {
      'user-agent': canaries.text(`${id} header:User-Agent`),
      referer: `https://example.com/${canaries.text(`${id} header:Referer`)}`,
      'x-forwarded-for': canaries.text(`${id} header:X-Forwarded-For`),
      ...(takes.has('idempotency-key') && {
        'idempotency-key': `${canaries.text(`${id} header:Idempotency-Key`)}${randomUUID()}`,
      }),
      ...(takes.has('purpose') && isAdministrator && { purpose: kept.text('header:Purpose') }),
    }
  }

  /** Sends one operation as one of its callers; fails unless it succeeds. What is new is known by its id from then on. */
  async function play(
    id: string,
    { as, given, ids: others = {}, query = '', headers = {}, file }: Playing = {},
  ): Promise<Body> {
    const one = known.get(id) ?? assert.fail(`there is no operation ${id}`)
    const callers = PRINCIPALS.filter((caller) => one.operation['x-callers']?.[caller] && tokens[caller])
    const caller = as ?? callers[0]
    const token = (caller && tokens[caller]) ?? ''
    const url = addressOf(one.path, { ...ids, ...others }) + query
    const body = file ?? (one.schema && canaries.fill(one.schema, given, id))
    const all = {
      ...headersFor(one, caller),
      ...credentialOf(caller, token),
      ...(one.schema ? JSON_TYPE : file && PDF_TYPE),
      ...headers,
    }
    if (!file) played.push({ ...one, url, token, headers: all, body })
    const reply = await ask(id, one.method, url, { headers: all, ...(body !== undefined && { body: textOf(body) }) })
    assert(reply.status < 400, `${one.method} ${url} returned ${reply.status}: ${reply.text.slice(0, 500)}`)
    return reply.body
  }

  return { ask, play, send, tokens, ids, played, responses, known }
}

const SECRET_MEMBERS = /"(?:access_token|refresh_token|basic_token|secret)":"([^"]{20,})"/g

const JSON_TYPE = { 'content-type': 'application/json' }
const PDF_TYPE = { 'content-type': 'application/pdf' }

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

const credentialOf = (caller: Principal | undefined, token: string): Record<string, string> => {
  if (caller === undefined) return {}
  return caller === 'admin_key' ? { 'admin-api-key': token } : { authorization: `Bearer ${token}` }
}

function operationsIn({ paths }: Document): Known[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId)
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        schema: operation.requestBody?.content['application/json']?.schema,
      })),
  )
}

/** The pointer of every value in a body, from the outside inwards. */
export function pointersIn(body: unknown, at: string[] = []): string[][] {
  if (body === null || typeof body !== 'object') return [at]
  const inner = Object.entries(body).flatMap(([name, value]) => pointersIn(value, [...at, name]))
  return at.length === 0 ? inner : [at, ...inner]
}

/** The body with another value at a pointer. */
export function withValue(body: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) }) as Record<string, unknown>
  copy[name] = withValue(copy[name], rest, value)
  return copy
}
