import MiniSearch from 'minisearch'
import type { Found } from './page-html.ts'
import type { Passage } from './render.ts'
import { listAlternatives, type Synonyms } from './synonyms.ts'

/** `weight`: how much more, or less, than another page it counts. */
export type Searchable = Passage & { url: string; page: string; weight: number }

const QUERY_LENGTH_MAX = 100
/** Different ones; the others are ignored. */
const WORDS_MAX = 8
/** Shorter words are not completed: a single letter begins a tenth of all words of the handbook. */
const COMPLETED_LENGTH_MIN = 3
const RESULTS_MAX = 20
const SNIPPET_LENGTH = 160
/** Tolerates one typing error in a word of four letters or more. Two would cost seven times as much as one. */
const FUZZY = 0.15
const TYPING_ERRORS_MAX = 1

/** Passages indexed at a time: the process serves other requests in between. */
const CHUNK = 10

/** Returns a search over these passages. Words in titles count more; the last word may be incomplete. */
export async function createSearch(
  passages: readonly Searchable[],
  synonyms: Synonyms,
): Promise<(query: string) => Found[]> {
  const index = new MiniSearch<{ id: number; title: string; page: string; text: string }>({
    fields: ['title', 'page', 'text'],
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: (word) => word.length >= COMPLETED_LENGTH_MIN,
      fuzzy: (word) => word.length >= COMPLETED_LENGTH_MIN && FUZZY,
      maxFuzzy: TYPING_ERRORS_MAX,
      boostDocument: (id) => passages[Number(id)]?.weight ?? 1,
    },
  })
  const entries = passages.map(({ title, page, text }, id) => ({ id, title, page, text }))
  await index.addAllAsync(entries, { chunkSize: CHUNK })
  return (query) =>
    index
      .search({
        combineWith: 'AND',
        queries: listAlternatives(toWords(query), synonyms).map((queries) => ({ combineWith: 'OR', queries })),
      })
      .slice(0, RESULTS_MAX)
      .flatMap(({ id, terms }) => {
        const passage = passages[Number(id)]
        if (!passage) return []
        const { url, page, title, text } = passage
        return [{ url: `${url}#${passage.id}`, page, title, snippet: cutSnippet(text, terms) }]
      })
}

const tokenize = MiniSearch.getDefault('tokenize') as (text: string) => string[]

/** Returns the words to look up: each costs a search of its own, also one that is repeated. */
const toWords = (query: string): string[] =>
  [...new Set(tokenize(query.slice(0, QUERY_LENGTH_MAX).toLowerCase()))].filter(Boolean).slice(0, WORDS_MAX)

/** Returns the part of a text around the first of the words. */
function cutSnippet(text: string, terms: readonly string[]): string {
  const lowerCase = text.toLowerCase()
  const places = terms.map((term) => lowerCase.indexOf(term)).filter((place) => place >= 0)
  const from = Math.max(0, Math.min(...places, text.length) - SNIPPET_LENGTH / 4)
  const start = places.length === 0 || from === 0 ? 0 : text.indexOf(' ', from) + 1
  const cut = text.slice(start, start + SNIPPET_LENGTH).trim()
  return `${start > 0 ? '… ' : ''}${cut}${start + SNIPPET_LENGTH < text.length ? ' …' : ''}`
}
