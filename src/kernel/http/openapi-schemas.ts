import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { PRIVATE_KEYWORDS } from './keywords.ts'

export type Schema = Record<string, unknown>
export type Schemas = Record<string, Schema>

/** The keywords that hold one schema, a list of schemas, or schemas by name. Examples and defaults hold none, whatever they look like. */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else']
const LISTS = ['anyOf', 'oneOf', 'allOf']
const BY_NAME = ['properties', 'patternProperties']

/** The schema with every schema inside it changed, the innermost first, and itself last. */
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

type Naming = { components: Schemas; fieldWords: Record<string, string> }

/**
 * A schema as the document shows it: private keywords with `x-` in front, a description for each property, and what has a
 * `title` as a component of that name, so that clients get one type for it. Two shapes of one title are a mistake of ours.
 */
export const publicSchema = (schema: Schema, { components, fieldWords }: Naming): Schema =>
  mapSchema(schema, (inner) => {
    const shown = withMapping(withFieldWords(withPrivatePrefix(inner), fieldWords), components)
    if (typeof shown['title'] !== 'string') return shown
    const { type } = shown
    if (!Array.isArray(type) || !type.includes('null')) return component(components, shown['title'], shown)
    const types = type.filter((one) => one !== 'null')
    const { 'x-nullIsAbsent': isAbsent, ...thing } = shown
    const named = component(components, shown['title'], { ...thing, type: types.length === 1 ? types[0] : types })
    return {
      ...(isAbsent !== undefined && { 'x-nullIsAbsent': isAbsent }),
      description: shown['description'],
      anyOf: [named, { type: 'null' }],
    }
  })

/** Keeps the schema under this name and returns the reference to it. */
export function component(components: Schemas, name: string, schema: Schema): Schema {
  const { title: _title, ...named } = schema
  assert(isDeepStrictEqual(components[name] ?? named, named), `two schemas are called ${name}`)
  components[name] = named
  return { $ref: `#/components/schemas/${name}` }
}

const withPrivatePrefix = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      PRIVATE_KEYWORDS.includes(keyword) ? `x-${keyword}` : keyword,
      value,
    ]),
  )

/** Shapes that a tag tells apart, without what only our own check needs beside them, and with the component that each tag names. */
function withMapping(schema: Schema, components: Schemas): Schema {
  const { discriminator, oneOf } = schema as { discriminator?: { propertyName: string }; oneOf?: Schema[] }
  if (!discriminator || !oneOf) return schema
  const mapping = oneOf.map((kind): [string, unknown] => {
    const { properties } = components[nameOf(kind) ?? ''] ?? {}
    const tag = isSchema(properties) ? properties[discriminator.propertyName] : undefined
    return [isSchema(tag) ? [tag['const'] ?? tag['enum']].flat().join() : '', kind['$ref']]
  })
  const { type: _type, required: _required, properties: _properties, ...shown } = schema
  return { ...shown, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
}

/** What a field is called says what it is, wherever it stands; a description of its own comes first. */
function withFieldWords(schema: Schema, fieldWords: Record<string, string>): Schema {
  if (!isSchema(schema['properties'])) return schema
  const properties = mapValues(schema['properties'], (property, name) =>
    isSchema(property) && !property['description'] && !property['$ref'] && fieldWords[name]
      ? { ...property, description: fieldWords[name] }
      : property,
  )
  return { ...schema, properties }
}

/** The name of the schema that is referred to; undefined for one that stands for itself. */
export const nameOf = (schema: Schema | undefined): string | undefined =>
  typeof schema?.['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined

/** An example of a schema that has none, put together from those of its parts; undefined where a part has none either. */
export function exampleOf(schema: Schema, components: Schemas): unknown {
  const name = nameOf(schema)
  if (name !== undefined) return exampleOf(components[name] ?? {}, components)
  const { examples, example = Array.isArray(examples) ? examples[0] : undefined } = schema
  if (example !== undefined) return example
  const { enum: words, anyOf, oneOf, items, properties } = schema
  if (Array.isArray(words)) return words[0]
  const choice: unknown = [anyOf ?? [], oneOf ?? []].flat(2)[0]
  if (isSchema(choice)) return exampleOf(choice, components)
  if (isSchema(items)) {
    const item = exampleOf(items, components)
    return item === undefined ? undefined : [item]
  }
  if (schema['type'] === 'boolean') return true
  if (!isSchema(properties)) return undefined
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, property]) => {
      const value = isSchema(property) ? exampleOf(property, components) : undefined
      return value === undefined ? [] : [[key, value]]
    }),
  )
}
