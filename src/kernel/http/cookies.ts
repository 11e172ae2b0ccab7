export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [found = '', value] = pair.split(/=(.*)/s, 2)
    if (found.trim() === name) return value?.trim()
  }
  return undefined
}

/**
 * Returns the `Set-Cookie` of a cookie that scripts cannot read, sent to this host only and never with a cross-site
 * subrequest. The prefix `__Host-` requires `Secure`; browsers accept it from http://localhost too.
 */
export const hostCookie = (name: `__Host-${string}`, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`

export const noHostCookie = (name: `__Host-${string}`): string => hostCookie(name, '', 0)
