type ListParts = {
  /** The columns of a listed record. */
  columns: string
  from: string
  where?: string
  order: string
  /** The parameters of the page. */
  limit: string
  offset: string
}

/** The owner of the listed records: no row is returned when the owner is not found, which is a 404. */
type Owner = { from: string; where: string; columns?: string }

/**
 * Returns the SQL of a paged list for `decodePage`: the exact total in every row, and, by a left join, one row even
 * when the page is empty. One round trip; a second query for the total costs a fifth of the requests per second.
 */
export function listText(parts: ListParts, owner?: Owner): string {
  const { from, where = 'true' } = parts
  const text = pageText(parts, owner, `select count(*)::int as total from ${from} where ${where}`)
  lists.set(text, { parts, owner })
  return text
}

type List = { parts: ListParts; owner: Owner | undefined }

/** Every list of the loaded modules, by its text. */
const lists = new Map<string, List>()

/** The columns of a row's key, numbered. */
export const KEY = 'key_'

type KeyedPage = { values: number; isFirst: boolean }

/**
 * Returns the SQL of the same list without a total, and with the key of each row: of its first page, or of the page after a key, whose
 * values follow the `values` that the list has. Undefined when the text is not that of a list.
 */
export function keyedText(text: string, { values, isFirst }: KeyedPage): string | undefined {
  const list = lists.get(text)
  if (!list) return undefined
  const { columns, where = 'true', order } = list.parts
  const terms = order.split(', ').map((term) => term.split(' '))
  const expressions = terms.map(([expression]) => expression)
  const direction = terms[0]?.[1] === 'desc' ? '<' : '>'
  const keys = expressions.map((expression, at) => `${expression}::text as ${KEY}${at}`)
  const after = expressions.map((_, at) => `$${values + at + 1}`)
  const follows = isFirst ? where : `(${where}) and (${expressions.join(', ')}) ${direction} (${after.join(', ')})`
  const parts = { ...list.parts, columns: [columns, ...keys].join(', '), where: follows }
  return pageText(parts, list.owner, 'select 0 as total')
}

function pageText(
  { columns, from, where = 'true', order, limit, offset }: ListParts,
  owner: Owner | undefined,
  total: string,
): string {
  const page = `
     left join lateral (
       select ${columns}
         from ${from}
        where ${where}
        order by ${order}
        limit ${limit} offset ${offset}) page on true`
  if (!owner) return `select t.total, page.*\n     from (${total}) t ${page}`
  const of = owner.columns === undefined ? '' : `${owner.columns}, `
  return `select ${of}t.total, page.*\n     from ${owner.from}\n    cross join lateral (${total}) t ${page}\n    where ${owner.where}`
}
