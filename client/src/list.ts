import type { CallShape, Operation } from './operation.ts'

/** A list: `await` gives its first page as the service wrote it, `for await` every entry of every page. */
export type List<Item, Page> = Promise<Page> &
  AsyncIterable<Item> & {
    /** Every page, for those who store where they are. */
    pages(): AsyncIterable<Page>
    /** All entries at once, `max` at most. */
    all(max: number): Promise<Item[]>
  }

/** What the pages of a list have in common: by offset with a total, or by a cursor. */
type Cursors = { offset?: number; total?: number; next?: string | null; has_more?: boolean }

export function list<Item, Page>(
  { items = 'data' }: Operation<CallShape, Page, Item>,
  call: CallShape,
  read: (call: never) => Promise<Page>,
): List<Item, Page> {
  const first = read(call as never)

  async function* pages(): AsyncGenerator<Page, void, undefined> {
    let page = await first
    for (;;) {
      yield page
      const where = following(page as Cursors, entriesOf(page).length)
      if (where === undefined) return
      page = await read({ ...call, query: { ...call.query, ...where } } as never)
    }
  }

  async function* entries(): AsyncGenerator<Item, void, undefined> {
    let before = new Set<unknown>()
    for await (const page of pages()) {
      const found = entriesOf(page)
      // A record that was created meanwhile shifts the rest, so the last entries appear once more.
      for (const entry of found) if (!before.has(idOf(entry))) yield entry
      before = new Set(found.map(idOf).filter((id) => id !== undefined))
    }
  }

  const entriesOf = (page: Page): Item[] =>
    items.split('.').reduce((inner, name) => (inner as Record<string, unknown>)[name], page as unknown) as Item[]

  async function all(max: number): Promise<Item[]> {
    const found: Item[] = []
    for await (const entry of entries()) if (found.push(entry) >= max) break
    return found
  }

  return Object.assign(first, { pages, all, [Symbol.asyncIterator]: entries })
}

/** Returns the part of the query that asks for the next page; undefined after the last one. */
function following(page: Cursors, count: number): { offset: number } | { after: string } | undefined {
  const { offset, total, next, has_more } = page
  if (offset !== undefined) return count > 0 && offset + count < (total ?? 0) ? { offset: offset + count } : undefined
  return typeof next === 'string' && (has_more ?? count > 0) ? { after: next } : undefined
}

function idOf(entry: unknown): unknown {
  const { id, user_id } = (entry ?? {}) as { id?: string; user_id?: string }
  return id ?? user_id
}
