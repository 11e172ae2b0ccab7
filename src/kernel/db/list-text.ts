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

type Total = Pick<ListParts, 'from' | 'where' | 'limit' | 'offset'> & { listed: string }

/**
 * Returns SQL for the exact total of a list. `listed` is the number of rows on the page, null for none: a page that is not full is the
 * last one, so its rows need not be counted again.
 */
export const totalText = ({ listed, limit, offset, from, where = 'true' }: Total): string => `case
              when ${listed} < ${limit} then ${offset} + ${listed}
              when ${listed} is null and ${offset} = 0 then 0
              else (select count(*) from ${from} where ${where}) end`

/**
 * Returns the SQL of a paged list for `decodePage`: the exact total in every row, and, by a left join, one row even
 * when the page is empty. One round trip; a second query for the total costs a fifth of the requests per second.
 */
export function listText(
  { columns, from, where = 'true', order, limit, offset }: ListParts,
  owner: Owner = { from: '(select 1) one', where: 'true' },
): string {
  const of = owner.columns === undefined ? '' : `${owner.columns}, `
  return `select ${of}${totalText({ listed: 'page.listed', limit, offset, from, where })} as total, page.*
     from ${owner.from}
     left join lateral (
       select rows.*, count(*) over () as listed
         from (
           select ${columns}
             from ${from}
            where ${where}
            order by ${order}
            limit ${limit} offset ${offset}) rows) page on true
    where ${owner.where}`
}
