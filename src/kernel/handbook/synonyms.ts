/** What others call it, and the words of the handbook for it: `docs/synonyms.json`. */
export type Synonyms = Readonly<Record<string, readonly string[]>>

/** Words of a question that no page needs to have. */
const FILLERS = new Set(['how', 'do', 'does', 'i', 'my', 'not', 'no', 'can', 'what', 'why'])

/** Returns the words that stand for each word of a query; those that say nothing are left out, unless nothing else is there. */
export function listAlternatives(words: readonly string[], synonyms: Synonyms): string[][] {
  const needed = words.filter((word) => !FILLERS.has(word))
  return (needed.length > 0 ? needed : words).map((word) => [
    word,
    ...((Object.hasOwn(synonyms, word) && synonyms[word]) || []),
  ])
}
