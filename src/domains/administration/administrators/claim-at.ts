/** Returns a claim by its name or its path, `realm_access.roles`. A name can contain dots itself, such as a URL. */
export function claimAt(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name as keyof typeof claims]
  let found: unknown = claims
  for (const step of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return found
}
