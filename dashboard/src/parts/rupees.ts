/** One spelling each: plain, grouped as in India (1,23,456) and as in the west (123,456). */
const SPELLINGS = ['0|[1-9]\\d*', '[1-9]\\d?(?:,\\d{2})*,\\d{3}', '[1-9]\\d{0,2}(?:,\\d{3})+']
const AMOUNT = new RegExp(`^(?:₹\\s*)?((?:${SPELLINGS.join('|')})(?:\\.\\d{1,2})?)$`)
/** Above what anybody books, and below it every amount is exact in paise. */
const TOO_MUCH = 1e13

export const HOW_TO_WRITE_RUPEES =
  'Write an amount in rupees, such as 1,250 or 499.50: a point before the paise, commas only between groups of digits.'

/**
 * Returns the rupees that somebody typed, without sign and grouping: `1250.50` for `₹ 1,250.50`. Undefined for anything
 * else: a comma that groups nothing, as in `12,50`, can mean paise, and without it the amount would be a hundred times more.
 */
export function rupeesIn(text: string): string | undefined {
  const amount = AMOUNT.exec(text.trim())?.[1]?.replaceAll(',', '')
  return amount !== undefined && Number(amount) < TOO_MUCH ? amount : undefined
}
