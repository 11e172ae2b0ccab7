type Choice = { value: string; label: string }

/** How many characters of an id tell records apart: its random end. */
const SHORT = 4

export const shortOf = (id: string): string => `…${id.slice(-SHORT)}`

/** Returns choices of which no two look alike: names that repeat carry the end of their id. */
export function distinct<One extends Choice>(choices: readonly One[]): One[] {
  const count = new Map<string, number>()
  for (const { label } of choices) count.set(label, (count.get(label) ?? 0) + 1)
  return choices.map((one) =>
    (count.get(one.label) ?? 0) > 1 ? { ...one, label: `${one.label} (${shortOf(one.value)})` } : one,
  )
}
