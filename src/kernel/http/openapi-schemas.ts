import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { PRIVATE_KEYWORDS } from './keywords.ts'

export type Schema = Record<string, unknown>
export type Schemas = Record<string, Schema>

/**
 * The keywords that contain one schema, a list of schemas, or schemas by name. Examples and defaults never contain
 * schemas.
 */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else']
const LISTS = ['anyOf', 'oneOf', 'allOf']
const BY_NAME = ['properties', 'patternProperties']

/** Applies a change to every nested schema, innermost first, and last to the schema itself. */
function mapSchema(schema: Schema, change: (schema: Schema) => Schema): Schema {
  const inner = (value: unknown) => (isSchema(value) ? mapSchema(value, change) : value)
  const changed = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (ONE.includes(keyword)) return [keyword, inner(value)]
    if (LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(inner)]
    if (BY_NAME.includes(keyword) && isSchema(value)) return [keyword, mapValues(value, inner)]
    return [keyword, value]
  })
  return change(Object.fromEntries(changed))
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (table: Record<string, unknown>, map: (value: unknown, key: string) => unknown) =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, map(value, key)]))

type Naming = { components: Schemas; fieldDescriptions: Record<string, string> }

/**
 * Converts a schema for the document: prefixes private keywords with `x-`, describes each property, and turns schemas
 * with a `title` into components, so that clients get one type for each. Two different schemas with one title are our
 * error.
 */
export const publicSchema = (schema: Schema, { components, fieldDescriptions }: Naming): Schema =>
  mapSchema(schema, (inner) => {
    const rewritten = withMapping(
      withFieldDescriptions(withPrivatePrefix(withWidth(inner)), fieldDescriptions),
      components,
    )
    if (typeof rewritten['title'] !== 'string') return rewritten
    const { type } = rewritten
    if (!Array.isArray(type) || !type.includes('null')) return component(components, rewritten['title'], rewritten)
    const types = type.filter((one) => one !== 'null')
    const { 'x-nullIsAbsent': isAbsent, ...value } = rewritten
    const named = component(components, rewritten['title'], { ...value, type: types.length === 1 ? types[0] : types })
    return {
      ...(isAbsent !== undefined && { 'x-nullIsAbsent': isAbsent }),
      description: rewritten['description'],
      anyOf: [named, { type: 'null' }],
    }
  })

/** Registers the schema under this name and returns a reference to it. */
export function component(components: Schemas, name: string, schema: Schema): Schema {
  const { title: _title, ...named } = withShapes(schema)
  assert(isDeepStrictEqual(components[name] ?? named, named), `two schemas are called ${name}`)
  components[name] = named
  return { $ref: `#/components/schemas/${name}` }
}

const OF_STRINGS = ['minLength', 'maxLength', 'pattern', 'format', 'x-words']
const OF_OBJECTS = ['required', 'properties', 'additionalProperties']

/** Writes an object or text as two shapes: of several types in one schema, generators know the first, or none. */
function withShapes(schema: Schema): Schema {
  if (!isDeepStrictEqual(schema['type'], ['object', 'string'])) return schema
  const only = (keywords: string[]) =>
    Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)))
  const { title, description, examples } = schema
  const oneOf = [
    { type: 'object', ...only(OF_OBJECTS) },
    { type: 'string', ...only(OF_STRINGS) },
  ]
  return { title, description, examples, oneOf }
}

const INT32_MAX = 2 ** 31 - 1

/** Adds the format from which typed clients choose the width of a number. */
function withWidth(schema: Schema): Schema {
  const { type, maximum, format } = schema
  if (format !== undefined) return schema
  if (type === 'number') return { ...schema, format: 'double' }
  const isSmall = typeof maximum === 'number' && maximum <= INT32_MAX
  return type === 'integer' ? { ...schema, format: isSmall ? 'int32' : 'int64' } : schema
}

const withPrivatePrefix = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      PRIVATE_KEYWORDS.includes(keyword) ? `x-${keyword}` : keyword,
      value,
    ]),
  )

/**
 * Adds the mapping from tags to components to a discriminated union, and removes the keywords only our validator needs.
 */
function withMapping(schema: Schema, components: Schemas): Schema {
  const { discriminator, oneOf } = schema as { discriminator?: { propertyName: string }; oneOf?: Schema[] }
  if (!discriminator || !oneOf) return schema
  const mapping = oneOf.map((kind): [string, unknown] => {
    const { properties } = components[componentName(kind) ?? ''] ?? {}
    const tag = isSchema(properties) ? properties[discriminator.propertyName] : undefined
    return [isSchema(tag) ? [tag['const'] ?? tag['enum']].flat().join() : '', kind['$ref']]
  })
  const { type: _type, required: _required, properties: _properties, ...rewritten } = schema
  return { ...rewritten, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
}

/** Describes properties by their names; a property's own description takes precedence. */
function withFieldDescriptions(schema: Schema, fieldDescriptions: Record<string, string>): Schema {
  if (!isSchema(schema['properties'])) return schema
  const properties = mapValues(schema['properties'], (property, name) =>
    isSchema(property) && !property['description'] && !property['$ref'] && fieldDescriptions[name]
      ? { ...property, description: fieldDescriptions[name] }
      : property,
  )
  return { ...schema, properties }
}

/** Returns the name of a referenced schema; undefined for an inline one. */
export const componentName = (schema: Schema | undefined): string | undefined =>
  typeof schema?.['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined

/** Returns the example of a schema, composed from its parts if it has none; undefined where a part has none either. */
export function buildExample(schema: Schema, components: Schemas): unknown {
  const name = componentName(schema)
  if (name !== undefined) return buildExample(components[name] ?? {}, components)
  const { examples, example = Array.isArray(examples) ? examples[0] : undefined } = schema
  if (example !== undefined) return example
  const { enum: values, anyOf, oneOf, items, properties } = schema
  if (Array.isArray(values)) return values[0]
  const choice: unknown = [anyOf ?? [], oneOf ?? []].flat(2)[0]
  if (isSchema(choice)) return buildExample(choice, components)
  if (isSchema(items)) {
    const item = buildExample(items, components)
    return item === undefined ? undefined : [item]
  }
  if (schema['type'] === 'boolean') return true
  if (!isSchema(properties)) return undefined
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, property]) => {
      const value = isSchema(property) ? buildExample(property, components) : undefined
      return value === undefined ? [] : [[key, value]]
    }),
  )
}
