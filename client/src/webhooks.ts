import type { Event } from './generated/schemas.ts'
import { decode, encode } from './wire.ts'

const TOLERANCE_S = 5 * 60
const PREFIX = 'whsec_'
const VERSION = 'v1,'
const NOT_RAW =
  'The body has been parsed. Give verify the body as it came: express.raw({ type: "*/*" }), or await request.text()'
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

/** Headers of a request, as any framework has them. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>

/** The request is not from the service, or it is too old: respond with 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

/**
 * Returns the event of a webhook after its signature and its time have been checked. `rawBody` is the body as it came,
 * before any parser. After a rotation give both secrets; one that is empty is left out. An event can come twice: its `id`
 * is the same then. A `TypeError` is a mistake of the receiver.
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly (string | undefined)[],
): Promise<Event> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) throw new TypeError(NOT_RAW)
  const given = [secrets].flat().filter((secret) => secret !== undefined && secret !== '') as string[]
  if (given.length === 0) throw new TypeError('There is no secret: is the variable set that holds it?')
  const keys = await Promise.all(given.map((secret) => keyOf(secret, 'verify')))
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(headers, name),
  )
  if (!id || !time || !signatures) throw new WebhookVerificationError('A header of the signature is missing')
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1_000 - Number(time)) > TOLERANCE_S)
    throw new WebhookVerificationError('The request is too old, or a clock is wrong')
  // The bytes as they came: a decoder would drop a byte order mark.
  const body = typeof rawBody === 'string' ? bytesOf(rawBody) : rawBody
  const prefix = bytesOf(`${id}.${time}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  for (const signature of signatures.split(' ').filter((one) => one.startsWith(VERSION))) {
    const bytes = fromBase64(signature.slice(VERSION.length))
    // `subtle.verify` compares in constant time.
    for (const key of bytes ? keys : [])
      if (await crypto.subtle.verify('HMAC', key, bytes as Uint8Array<ArrayBuffer>, signed))
        return decode(JSON.parse(new TextDecoder().decode(body))) as Event
  }
  throw new WebhookVerificationError('No signature is valid')
}

export type SignedWebhook = { body: string; headers: Record<string, string> }

/** Returns a webhook as the service would send it, for tests of your receiver. */
export async function sign(event: Event, secret: string, time: Date = new Date()): Promise<SignedWebhook> {
  const body = encode(event)
  const seconds = String(Math.floor(time.getTime() / 1_000))
  const bytes = bytesOf(`${event.id}.${seconds}.${body}`)
  const signature = toBase64(await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), bytes))
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': seconds,
    'webhook-signature': `${VERSION}${signature}`,
  }
  return { body, headers }
}

/** Returns the `operator-signature` of a body, for the setting `operatorSignature` of a wallet operator. */
export async function operatorSignature(body: string, secret: string): Promise<string> {
  const seconds = Math.floor(Date.now() / 1_000)
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), ALGORITHM, false, ['sign'])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(`${seconds}.${body}`)))
  return `t=${seconds},v1=${[...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name] ?? Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}

function keyOf(secret: string, use: 'sign' | 'verify') {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined
  if (!bytes) throw new TypeError('The secret of a webhook endpoint is whsec_ and base64')
  return crypto.subtle.importKey('raw', bytes, ALGORITHM, false, [use])
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

const toBase64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)))
