/** Returns the value of a cookie in a `Cookie` header; undefined when it is not there. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [found = '', value] = pair.split(/=(.*)/s, 2)
    if (found.trim() === name) return value?.trim()
  }
  return undefined
}

/**
 * Returns the `Set-Cookie` of a cookie that no script can read and that comes back to this host alone, never with a request that
 * another site makes behind the person's back. `Secure` belongs to the prefix `__Host-`; browsers take it from
 * http://localhost too.
 */
export const hostCookie = (name: `__Host-${string}`, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`

/** Returns the `Set-Cookie` that takes such a cookie away. */
export const noHostCookie = (name: `__Host-${string}`): string => hostCookie(name, '', 0)
