/** Returns each cycle that a walk along these edges finds, `a → b → a`. */
export function circlesIn(edges: { from: string | undefined; target: string | undefined }[]): string[] {
  const targetsOf = new Map<string, Set<string>>()
  for (const { from, target } of edges)
    if (from && target) targetsOf.set(from, (targetsOf.get(from) ?? new Set()).add(target))
  const circles: string[] = []
  const left = new Set<string>()
  const visit = (node: string, trail: string[]): void => {
    if (trail.includes(node)) return void circles.push([...trail.slice(trail.indexOf(node)), node].join(' → '))
    if (left.has(node)) return
    for (const next of targetsOf.get(node) ?? []) visit(next, [...trail, node])
    left.add(node)
  }
  for (const node of targetsOf.keys()) visit(node, [])
  return circles
}
