import type { Paging } from './operations.ts'

/** The rules of the input, for the validators of both frameworks. */
export const PATTERNS = {
  dialCode: '^\\s*\\+[1-9][0-9]{0,3}\\s*$',
  phone: '^\\s*[0-9]{4,14}\\s*$',
  /** One line, not blank. */
  name: '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$',
  userId: '^[0-9]{12}$',
  /** 1 to 100. Digits, because Elysia reports only the first of several numbers that it cannot convert. */
  limit: '^([1-9][0-9]?|100)$',
  /** 0 to 100000. */
  offset: '^(0|[1-9][0-9]{0,4}|100000)$',
}

type Query = { limit?: string; offset?: string; status?: string | string[] }

export const pagingFrom = ({ limit = '20', offset = '0', status }: Query): Paging => ({
  limit: Number(limit),
  offset: Number(offset),
  ...(status !== undefined && { status: [status].flat() }),
})

const FIRST_DAY = '1900-01-01'

export const isBirthDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  text >= FIRST_DAY &&
  Date.parse(text) <= Date.now() &&
  new Date(text).toISOString().startsWith(text)
