const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

export const isReadOnly = ({ method }: { method: string | string[] }): boolean =>
  typeof method === 'string' ? isRead(method) : method.every(isRead)

/** Returns true for a write that accepts an `Idempotency-Key` from callers who are known: uploads and searches do not. */
export const takesKey = (schema: { body?: unknown; querystring?: unknown }): boolean =>
  !isByMediaType(schema.body) && !isPaged(schema.querystring)

/** Returns true for a list; it is read by POST when the search term must not appear in a URL. */
const isPaged = (query: unknown) => 'limit' in ((query as { properties?: object } | undefined)?.properties ?? {})

/** Returns true for a body described by media type, which is not JSON. */
export const isByMediaType = (body: unknown) => typeof body === 'object' && body !== null && 'content' in body
