import type { Database, Queryable, Statement } from './database.ts'
import { statement } from './database.ts'
import { widerText } from './changes-text.ts'
import { keyedText, KEY } from './list-text.ts'

/** A database whose lists go on after the last row that was read, instead of counting rows again. */
export type EveryRow = {
  db: Database
  /** Whether a list was read that goes on by its key; others have to be asked for the next offset. */
  isKeyed: () => boolean
}

type Row = Record<string, unknown>

/**
 * Returns the database for somebody who reads a whole list in pages. A list by offset (`listText`) begins after the key of the last
 * row that was read: a page costs the same wherever it begins, and what is inserted until then shifts nothing. Nothing is counted.
 */
export function everyRow(db: Database): EveryRow {
  let after: unknown[] | undefined
  let isKeyed = false

  const query: Queryable['query'] = async <Found>(one: Statement, values: readonly unknown[] = []) => {
    const keyed = keyedText(one.text, { values: values.length, isFirst: after === undefined })
    if (keyed === undefined) return db.query<Found>(wider(one), values)
    isKeyed = true
    const rest = statement(`${one.name}${after ? '_after' : '_first'}`, keyed, plannedAs(one))
    const rows = await db.query<Row>(rest, [...values, ...(after ?? [])])
    const last = rows.at(-1)
    // An empty page is a row of nothing.
    if (last !== undefined && last[`${KEY}0`] !== null) after = readKey(last)
    return rows as Found[]
  }
  // The rest of the database is as it was, getters included.
  return { db: Object.create(db, { query: { value: query } }) as Database, isKeyed: () => isKeyed }
}

/** A list of changes is as it was, except that its parts are not cut at the size of a small page. */
function wider(one: Statement): Statement {
  const text = widerText(one.text)
  return text === undefined ? one : statement(`${one.name}_wide`, text, plannedAs(one))
}

const plannedAs = ({ replans }: Statement) => (replans ? { replans } : {})

function readKey(row: Row): unknown[] {
  const key: unknown[] = []
  for (let at = 0; row[`${KEY}${at}`] !== undefined; at++) key.push(row[`${KEY}${at}`])
  return key
}
