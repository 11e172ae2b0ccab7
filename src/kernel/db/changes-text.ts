type ChangesParts = {
  /** The columns of a listed record in `from`, the user's id and the record's among them. */
  columns: string
  /** Further columns, from `join`. */
  joined?: string
  /** One table with its alias, which the other parts use, and what is joined with it and has at most one row. */
  from: string
  /** The alias, where more is joined. */
  alias?: string
  /** What each row is joined with; one that finds nothing is left out. */
  join: string
  /** The expression of the last change. */
  changedAt: string
  /** The column of the day by which the list is ordered, the earliest first, instead of by the last change. */
  day?: string
  /** The expression of the time by which it is ordered instead, the earliest first. */
  since?: string
  /** The column of the id. */
  id: string
  /** The column of the state, and all states. */
  state: string
  states: readonly string[]
  /** Further conditions, on `from` alone. */
  where: string
  /** Conditions of which no row meets two. The rows of each are read by themselves, as those of each state are. */
  anyOf?: readonly string[]
  /**
   * Joins and limits the rows of each state by themselves. The limit is never reached before that of the page; it gives the
   * planner that few rows are read, so that it does not sort a state with many. Not for a cluster, which runs each limited
   * part as a statement of its own.
   */
  limitsEach?: true
}

/** The parameters of every list of changes; `where` has those from `$6` on. */
export type ChangesValues = {
  states: readonly string[] | undefined
  changedAfter: Date | undefined
  after: ChangePosition | undefined
  limit: number
}

/** The place of a row in a list: the time of its last change, or that or the day it is ordered by, in microseconds since 1970, and its id. */
export type ChangePosition = { changedAt: number; id: string }

const FIRST_VALUES = 5

/** The largest page, and the row that shows whether there is a next one. */
const ROWS_MAX = 101

/** The same for somebody who reads the whole list. */
const WIDE_ROWS_MAX = 1_001

/** The parameters of a list of changes, by number: its own begin after these. */
export const ownParameter = (index: number): string => `$${FIRST_VALUES + 1 + index}`

/**
 * Returns the SQL of a list of all users' rows, last change, or earliest day or time first, after a position. Each state is read from an index in
 * this order, and the states are merged: a page costs the same wherever it begins, however rare the state is.
 */
export function changesText(parts: ChangesParts): string {
  const text = textFor(parts, ROWS_MAX)
  if (parts.limitsEach) wide.set(text, parts)
  return text
}

/** The lists whose parts are limited, by their text. */
const wide = new Map<string, ChangesParts>()

/** Returns the SQL of the same list for pages of a thousand; undefined where it is the same text. */
export function widerText(text: string): string | undefined {
  const parts = wide.get(text)
  return parts && textFor(parts, WIDE_ROWS_MAX)
}

function textFor(parts: ChangesParts, rowsMax: number): string {
  const {
    columns,
    joined,
    from,
    alias = from.split(' ').at(-1),
    join,
    changedAt,
    day,
    since,
    id,
    state,
    states,
    where,
    anyOf = ['true'],
    limitsEach = false,
  } = parts
  const earliest = day ?? since
  const place = earliest ?? changedAt
  const type = day === undefined ? 'timestamptz' : 'date'
  const [follows, direction] = earliest === undefined ? ['<', ' desc'] : ['>', '']
  const all = joined === undefined ? columns : `${columns}, ${joined}`
  const branch = (word: string, one: string) => `
     (select ${limitsEach ? all : columns}, ${place} as place
        from ${from} ${limitsEach ? join : ''}
       where ${state} = '${word}' and ($1::text[] is null or '${word}' = any ($1)) and ${one} and ${where}
         and ${changedAt} > $2::timestamptz and (${place}, ${id}) ${follows} ($3::${type}, $4)
       order by ${place}${direction}, ${id}${direction}${limitsEach ? ` limit ${rowsMax}` : ''})`
  const branches = states.flatMap((word) => anyOf.map((one) => branch(word, one)))
  const ofBranches = (list: string) => list.replaceAll(/\b\w+\.(?=\w)/g, `${alias}.`)
  const columnList = limitsEach
    ? ofBranches(all)
    : [ofBranches(columns), joined].filter((list) => list !== undefined).join(', ')
  return `select ${columnList}, (extract(epoch from ${alias}.place) * 1000000)::bigint as changed_at_us
    from (${branches.join('\n     union all')}) ${alias}
    ${limitsEach ? '' : join}
   order by ${alias}.place${direction}, ${id}${direction}
   limit $5`
}

export const changesValues = ({ states, changedAfter, after, limit }: ChangesValues): unknown[] => [
  states ?? null,
  changedAfter?.toISOString() ?? '-infinity',
  after ? toTime(after.changedAt) : 'infinity',
  after?.id ?? '',
  limit,
]

/** Which end of a list comes first: the last change, or what has waited longest. */
export type ChangesOrder = { isOldestFirst: boolean }

export const orderedValues = (values: ChangesValues & ChangesOrder): unknown[] =>
  values.isOldestFirst ? sinceValues(values) : changesValues(values)

/** The parameters of a list that has the earliest time first. */
export function sinceValues(values: ChangesValues): unknown[] {
  const [states, changedAfter, , id, limit] = changesValues(values)
  return [states, changedAfter, values.after ? toTime(values.after.changedAt) : '-infinity', id, limit]
}

export function dayValues(values: ChangesValues): unknown[] {
  const [states, changedAfter, , id, limit] = changesValues(values)
  const day = values.after ? new Date(values.after.changedAt / 1_000).toISOString().slice(0, 10) : '-infinity'
  return [states, changedAfter, day, id, limit]
}

/** A time in microseconds as PostgreSQL reads it: a Date would lose the last three digits. */
const toTime = (us: number): string =>
  `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z`
