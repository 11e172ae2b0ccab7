import { UnreadableError } from './errors.ts'
import type { CallShape, DocumentStream, Operation } from './operation.ts'
import { responseOf } from './response.ts'

/** A list: `await` gives its first page as the service wrote it, `for await` every entry. Nothing is sent before that. */
export type List<Item, Page> = Promise<Page> &
  AsyncIterable<Item> & {
    /** Every page, for those who store where they are. */
    pages(): AsyncIterable<Page>
    /** All entries at once, `max` at most. */
    all(max: number): Promise<Item[]>
    /** The whole list as CSV, with its filters, amounts in rupees: a stream, for a file. The `timeout` is for all of it. */
    csv(): Promise<DocumentStream>
  }

/** How a list is read: a page of it, or all of it as CSV. */
type Reading<Page> = { page: (call: never) => Promise<Page>; csv: (call: CallShape) => Promise<DocumentStream> }

/** What the pages of a list have in common: by offset with a total, or by a cursor. */
type Cursors = { offset?: number; total?: number; next?: string | null; has_more?: boolean }

export function list<Item, Page>(
  { items = 'data' }: Operation<CallShape, Page, Item>,
  call: CallShape,
  { page: read, csv }: Reading<Page>,
): List<Item, Page> {
  let sent: Promise<Page> | undefined
  const first = () => (sent ??= read(call as never))

  async function* pages(): AsyncGenerator<Page, void, undefined> {
    let page = await first()
    let before: string | number | undefined
    for (;;) {
      yield page
      const where = following(page as Cursors, entriesOf(page).length)
      if (where === undefined) return
      const cursor = where.after ?? where.offset
      if (cursor === before) throw new UnreadableError('its pages repeat', responseOf(page as object))
      before = cursor
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

  function entriesOf(page: Page): Item[] {
    const found = items.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)?.[name], page)
    if (Array.isArray(found)) return found as Item[]
    throw new UnreadableError('it has no list', responseOf(page as object))
  }

  async function all(max: number): Promise<Item[]> {
    const found: Item[] = []
    for await (const entry of entries()) if (found.push(entry) >= max) break
    return found
  }

  return {
    pages,
    all,
    csv: () => csv({ ...call, query: { ...call.query, ...WHOLE } }),
    [Symbol.asyncIterator]: entries,
    [Symbol.toStringTag]: 'List',
    // oxlint-disable-next-line unicorn/no-thenable -- it is awaited, and sent only then
    then: (...handlers) => first().then(...handlers),
    catch: (handler) => first().catch(handler),
    finally: (handler) => first().finally(handler),
  }
}

/** A CSV has no pages. */
const WHOLE = { limit: undefined, offset: undefined, after: undefined }

/** Returns the part of the query that asks for the next page; undefined after the last one. */
function following(page: Cursors, count: number): { offset?: number; after?: string } | undefined {
  const { offset, total, next, has_more } = page
  if (offset !== undefined) return count > 0 && offset + count < (total ?? 0) ? { offset: offset + count } : undefined
  return typeof next === 'string' && (has_more ?? count > 0) ? { after: next } : undefined
}

function idOf(entry: unknown): unknown {
  const { id, user_id } = (entry ?? {}) as { id?: string; user_id?: string }
  return id ?? user_id
}
