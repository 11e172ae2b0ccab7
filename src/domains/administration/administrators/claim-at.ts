/**
 * Returns a claim by its name or its path, `realm_access.roles`. Names can contain dots themselves, such as a URL or the id of a
 * client: at each step the longest name that leads to a claim is taken.
 */
export function claimAt(claims: object, name: string): unknown {
  const steps = name.split('.')
  for (let length = steps.length; length > 0; length--) {
    const first = steps.slice(0, length).join('.')
    if (!Object.hasOwn(claims, first)) continue
    const claim = claims[first as keyof typeof claims] as unknown
    if (length === steps.length) return claim
    const below =
      typeof claim === 'object' && claim !== null ? claimAt(claim, steps.slice(length).join('.')) : undefined
    if (below !== undefined) return below
  }
  return undefined
}
