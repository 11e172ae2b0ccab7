import { documentTypeOf } from './document.ts'
import { writeInstant } from './instant.ts'
import type { CallShape, IfMatch, IfNoneMatch, Operation, Version, WriteOptions } from './operation.ts'
import { responseOf } from './response.ts'
import { newKey } from './runtime.ts'
import { encode } from './wire.ts'

export type CallOptions = WriteOptions & IfMatch & Partial<IfNoneMatch>

/** A request that is ready except for its credential; each attempt sends the same. */
export type PreparedRequest = {
  url: string
  headers: Record<string, string>
  body: string | Uint8Array | ArrayBuffer | Blob | undefined
}

type Addresses = { baseUrl: string; walletBaseUrl: string }

export function prepare(operation: Operation, call: CallShape, options: CallOptions, at: Addresses): PreparedRequest {
  const { method, keyed, sends, returns, inRupees } = operation
  const { purpose, strict, idempotencyKey, ifMatch, ifNoneMatch } = options
  const type = documentTypeOf(returns)
  const isJson = sends === undefined && call.body !== undefined
  const headers: Record<string, string> = {
    accept: type === undefined ? 'application/json' : `${type}, application/problem+json`,
    ...(isJson && { 'content-type': 'application/json' }),
    ...(sends !== undefined && { 'content-type': documentTypeOf(sends) as string }),
    ...(strict && method !== 'GET' && { prefer: 'handling=strict' }),
    ...(purpose !== undefined && { purpose }),
    ...(ifMatch !== undefined && { 'if-match': etagOf(ifMatch) }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': etagOf(ifNoneMatch) }),
    ...options.headers,
    // One key a call, whatever becomes of its attempts.
    ...(keyed && { 'idempotency-key': idempotencyKey ?? newKey() }),
  }
  const body = isJson ? encode(call.body as object, inRupees) : (call.body as PreparedRequest['body'])
  return { url: urlOf(operation, call, at), headers, body }
}

function etagOf(version: Version): string {
  const etag = typeof version === 'string' ? version : responseOf(version)?.etag
  if (etag === undefined)
    throw new TypeError('A version is an ETag, or a record read with this client, not a copy of it')
  return etag
}

function urlOf({ path }: Operation, { path: values = {}, query = {} }: CallShape, at: Addresses): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    // An empty id, and the dots that every URL parser resolves, would lead to another operation.
    if (value === '' || /^\.{1,2}$/.test(value)) throw new TypeError(`${name} is empty or not an id`)
    return encodeURIComponent(value)
  })
  // React Native's `URLSearchParams` lacks half of this.
  const search: string[] = []
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined)
        search.push(`${name}=${encodeURIComponent(one instanceof Date ? writeInstant(one) : String(one))}`)
  const address = path.startsWith('/wallet/v1')
    ? at.walletBaseUrl + filled.slice('/wallet/v1'.length)
    : at.baseUrl + filled
  return search.length > 0 ? `${address}?${search.join('&')}` : address
}
