/** Returns a claim by its name, or by the way to it: `realm_access.roles`. A name may hold dots itself, as those that are addresses do. */
export function claimAt(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name as keyof typeof claims]
  let found: unknown = claims
  for (const step of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return found
}
