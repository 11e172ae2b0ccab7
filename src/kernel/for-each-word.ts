/** Returns a record with a value for each of some words. */
export const forEachWord = <const Words extends readonly string[], Value>(
  words: Words,
  valueOf: (word: Words[number]) => Value,
) => Object.fromEntries(words.map((word) => [word, valueOf(word)])) as Record<Words[number], Value>
