import { isDeepStrictEqual } from 'node:util'
import { namedIn } from '../http/schemas.ts'

type Schema = { [keyword: string]: unknown; properties?: Record<string, Schema> }

/** How the values of a column are written: amounts in rupees, times with their zone, what has no columns of its own as JSON. */
export type CsvKind = 'text' | 'plain' | 'time' | 'paise' | 'rupees' | 'list' | 'json'

/** A column of a list: where its value is in an item, and what its header calls it. */
export type CsvColumn = { path: readonly string[]; header: string; kind: CsvKind }

const UNIT = '_rupees'

/**
 * Returns the columns of a list's items, from their schema. An object inside has a column for each of its members, as in
 * `address.city`; of several kinds, what any of them has. Lists of objects, and members that differ from kind to kind, are JSON.
 */
export function csvColumns(item: object): CsvColumn[] {
  const named = new Map<string, object>()
  namedIn(item, named)
  return columnsIn(item as Schema, [], named)
}

type NamedSchemas = ReadonlyMap<string, object>

function columnsIn(schema: Schema, path: readonly string[], named: NamedSchemas): CsvColumn[] {
  const resolvedSchema = resolved(schema, named)
  const properties = resolvedSchema.properties ?? {}
  if (Object.keys(properties).length > 0) {
    return Object.entries(properties).flatMap(([name, inner]) => columnsIn(inner, [...path, name], named))
  }
  const kind = chooseKind(resolvedSchema, named)
  return [{ path, header: path.join('.') + (kind === 'paise' || kind === 'rupees' ? UNIT : ''), kind }]
}

/** Returns what a schema stands for: no reference, no `null`, and the members of all its kinds. */
function resolved(schema: Schema, named: NamedSchemas): Schema {
  if (typeof schema['$ref'] === 'string')
    return resolved((named.get(schema['$ref'].slice(0, -1)) ?? {}) as Schema, named)
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (choices === undefined) return schema
  const kinds = choices.filter(({ type }) => type !== 'null').map((kind) => resolved(kind, named))
  const [first = {}] = kinds
  if (kinds.length === 1) return first
  if (!kinds.every(({ properties }) => properties !== undefined)) return JSON_SCHEMA
  const names = [...new Set(kinds.flatMap(({ properties = {} }) => Object.keys(properties)))]
  const of = (name: string) => kinds.map(({ properties }) => properties?.[name]).filter((one) => one !== undefined)
  return { properties: Object.fromEntries(names.map((name) => [name, merged(of(name), named)])) }
}

const JSON_SCHEMA: Schema = { type: 'object' }

/** Returns the one schema of a member that several kinds have; text or JSON where they differ. */
function merged(schemas: Schema[], named: NamedSchemas): Schema {
  const [first = {}, ...others] = schemas
  if (others.every((other) => isDeepStrictEqual(other, first))) return first
  const kinds = schemas.map((schema) => chooseKind(resolved(schema, named), named))
  return kinds.every((kind) => kind === 'text') ? { type: 'string' } : JSON_SCHEMA
}

function chooseKind(schema: Schema, named: NamedSchemas): CsvKind {
  const { type, items, properties, pattern, const: only } = schema
  if (schema['paise'] === true) return 'paise'
  if (schema['paisePrecision'] === true) return 'rupees'
  if (type === 'array') return isPlain(chooseKind(resolved((items ?? {}) as Schema, named), named)) ? 'list' : 'json'
  if (type === 'object' || properties !== undefined) return 'json'
  if (typeof pattern === 'string' && pattern.includes('T\\d{2}')) return 'time'
  return type === 'string' || typeof only === 'string' || Array.isArray(type) ? 'text' : 'plain'
}

const isPlain = (kind: CsvKind) => kind === 'text' || kind === 'plain'
