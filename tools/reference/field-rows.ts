import type { Schema } from './openapi-parts.ts'

type Row = [name: string, type: string, words: string]

type Place = { name?: string; isRequired?: boolean; marksRequired?: boolean; depth?: number }

/** Deeper ones are in the OpenAPI document. */
const DEPTH_MAX = 4

/**
 * Returns a row for each member of a schema, those of inner objects below: `address.city`, `plans[].plan_code`. The first
 * row, without a name, is the schema itself when it is no object.
 */
export function fieldRows(
  schema: Schema,
  { name = '', isRequired = false, marksRequired = true, depth = 0 }: Place = {},
): Row[] {
  const { inner, isNullable } = withoutNull(schema)
  const merged = { ...inner, ...(schema.description !== undefined && { description: schema.description }) }
  const words = [
    (merged.description ?? '').replace(/\.$/, ''),
    valuesOf(inner.enum ?? inner.items?.enum),
    boundsOf(inner),
  ]
  const type = `${typeOf(inner)}${isNullable ? ' or null' : ''}${isRequired && marksRequired ? ', required' : ''}`
  const isPlain = !inner.properties && !inner.items?.properties
  const own: Row[] = name !== '' || isPlain ? [[name, type, words.filter((part) => part !== '').join('. ')]] : []
  if (depth > DEPTH_MAX) return own
  const members = Object.entries(inner.properties ?? inner.items?.properties ?? {})
  const required = inner.required ?? inner.items?.required ?? []
  const prefix = inner.items?.properties ? `${name}[].` : name === '' ? '' : `${name}.`
  const below = members.flatMap(([member, part]) =>
    fieldRows(part, {
      name: `${prefix}${member}`,
      isRequired: required.includes(member),
      marksRequired,
      depth: depth + 1,
    }),
  )
  return [...own, ...below]
}

function withoutNull(schema: Schema): { inner: Schema; isNullable: boolean } {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null')
  if (!others) return { inner: withBoth(schema), isNullable: false }
  const [only] = others
  const isNullable = others.length < (schema.anyOf?.length ?? 0)
  return {
    inner: others.length === 1 && only ? withBoth(only) : { ...schema, type: others.map(typeOf).join(' or ') },
    isNullable,
  }
}

/** An object or text has the members of the one and the bounds of the other. */
function withBoth(schema: Schema): Schema {
  const shapes = schema.oneOf ?? []
  if (!shapes.some(({ type }) => type === 'string')) return schema
  return { ...Object.assign({}, ...shapes), ...schema, type: shapes.map(typeOf) } as Schema
}

function typeOf({ type, format, items, enum: values }: Schema): string {
  if (type === 'array') return `list of ${items ? typeOf(items) : 'values'}`
  if (format === 'date') return 'date'
  if (values && type === undefined) return 'string'
  return [type ?? 'any'].flat().join(' or ')
}

const valuesOf = (values: Schema['enum']) =>
  values ? `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}` : ''

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual }: Schema): string {
  const bounds = [
    between(minimum, maximum, ''),
    between(minLength, maxLength, ' characters'),
    between(minItems, maxItems, ' entries'),
    usual === undefined ? '' : `\`${String(usual)}\` by default`,
  ]
  return bounds.filter((part) => part !== '').join('; ')
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${grouped(least)} to ${grouped(most)}${unit}`
  if (most !== undefined) return `At most ${grouped(most)}${unit}`
  return least === undefined || least <= 1 ? '' : `At least ${grouped(least)}${unit}`
}

const grouped = (value: number) => value.toLocaleString('en-US')
