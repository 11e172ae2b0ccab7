/** A JSON Schema: its keywords. */
export type Schema = Record<string, unknown>

/** A breaking change, with its place in the body. */
type Change = string

/**
 * Compared for equality: whether another value accepts less cannot be decided. Descriptions and examples do not
 * restrict.
 */
const EXACT = ['pattern', 'format', 'const', 'multipleOf', 'uniqueItems']
const EXACT_PRIVATE = ['x-uniqueBy', 'x-dayRange', 'x-paisePrecision']
/** Patterns that were spelled differently once; a test compares what they match. */
export const RESPELLED: Record<string, string> = {
  '^[^\\u0000-\\u001f\\u007f-\\u009f]*$': '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$':
    '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
  '^(?:[ \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*[^ \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*)?$':
    '^(?:[^\\S\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*)?$',
}
/** Formats of numbers name a width for clients and restrict nothing. */
const WIDTHS = ['int32', 'int64', 'double']
/** Lists of what is accepted: more values restrict nothing. */
const LISTED = ['x-token']
const LEAST = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']
const MOST = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']

/** Returns what the old schema accepted and the new one rejects or ignores. */
export function inputChanges(before: Schema, after: Schema, at = ''): Change[] {
  const [old, now] = [flat(before), flat(after)]
  const alternatives = alternativesOf(now)
  if (alternatives || alternativesOf(old)) {
    return (alternativesOf(old) ?? [old]).flatMap((one) =>
      fewest(alike(one, alternatives ?? [now]).map((other) => inputChanges(one, other, at))),
    )
  }
  const change = (words: string): Change => `${at || '/'}: ${words}`
  const narrowed = typesOf(old).filter((type) => !accepts(typesOf(now), type))
  if (narrowed.length > 0 || typesOf(old).every((type) => type === 'null')) {
    return narrowed.map((type) => change(`${type} is no longer accepted`))
  }
  const lost = isListed(now) ? valuesOf(old).filter((value) => !valuesOf(now).includes(value)) : []
  const needed = difference(required(now), required(old))
  return [
    ...(isListed(now) && !isListed(old) ? [change('only certain values are accepted now')] : []),
    ...lost.map((value) => change(`${value} is no longer accepted`)),
    ...needed.map((name) => change(`${name} is now required`)),
    ...stricterBounds(old, now).map(change),
    ...(now['additionalProperties'] === false && old['additionalProperties'] !== false
      ? [change('no other members are accepted now')]
      : []),
    ...inside(old, now, at, inputChanges, 'is no longer read'),
  ]
}

/** Returns what the old schema guaranteed and the new one does not. Additions are no change. */
export function outputChanges(before: Schema, after: Schema, at = ''): Change[] {
  const [old, now] = [flat(before), flat(after)]
  const alternatives = alternativesOf(old)
  if (alternatives || alternativesOf(now)) {
    return (alternativesOf(now) ?? [now]).flatMap((one) =>
      fewest(alike(one, alternatives ?? [old]).map((other) => outputChanges(other, one, at))),
    )
  }
  const change = (words: string): Change => `${at || '/'}: ${words}`
  const widened = typesOf(now).filter((type) => !accepts(typesOf(old), type))
  if (widened.length > 0 || typesOf(now).every((type) => type === 'null')) {
    return widened.map((type) => change(`can be ${type} now`))
  }
  return [
    ...(isListed(old) && !isListed(now) ? [change('the values are not listed any more')] : []),
    ...(old['format'] !== undefined && old['format'] !== now['format'] ? [change('has another format')] : []),
    ...difference(required(old), required(now))
      .filter((name) => name in propertiesOf(now))
      .map((name) => change(`${name} is not always there any more`)),
    ...inside(old, now, at, outputChanges, 'is gone'),
  ]
}

function stricterBounds(old: Schema, now: Schema): string[] {
  const number = (schema: Schema, keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise)
  const changed = (keyword: string) =>
    now[keyword] !== undefined &&
    !WIDTHS.some((width) => width === now[keyword]) &&
    now[keyword] !== RESPELLED[String(old[keyword])] &&
    JSON.stringify(now[keyword]) !== JSON.stringify(old[keyword])
  const loses = (keyword: string) => {
    const [left, right] = [old, now].map((schema) => schema[keyword] as string[] | undefined)
    return right !== undefined && (left === undefined || difference(left, right).length > 0)
  }
  const [choices, choicesBefore] = [now, old].map((schema) => schema['x-requiresOneOf'] as string[] | undefined)
  return [
    ...LEAST.filter((keyword) => number(now, keyword, -Infinity) > number(old, keyword, -Infinity)),
    ...MOST.filter((keyword) => number(now, keyword, Infinity) < number(old, keyword, Infinity)),
    ...[...EXACT, ...EXACT_PRIVATE].filter(changed),
    ...LISTED.filter(loses),
    ...(choices && (!choicesBefore || difference(choicesBefore, choices).length > 0) ? ['x-requiresOneOf'] : []),
  ].map((keyword) => `${keyword} is stricter or another now`)
}

type Compare = (before: Schema, after: Schema, at: string) => Change[]

/** Returns the changes of members and items, and the removed members. */
function inside(old: Schema, now: Schema, at: string, compare: Compare, gone: string): Change[] {
  const members = Object.entries(propertiesOf(old)).flatMap(([name, property]) => {
    const other = propertiesOf(now)[name]
    return other ? compare(property, other, `${at}/${name}`) : [`${at}/${name}: ${gone}`]
  })
  const [items, otherItems] = [old['items'], now['items']]
  return isSchema(items) && isSchema(otherItems) ? [...members, ...compare(items, otherItems, `${at}/*`)] : members
}

/** Merges `allOf` into one schema. */
function flat({ allOf, ...schema }: Schema): Schema {
  const parts = Array.isArray(allOf) ? allOf.filter(isSchema).map(flat) : []
  return parts.reduce<Schema>((whole, part) => ({ ...whole, ...part, ...joined(whole, part) }), schema)
}

function joined(one: Schema, other: Schema): Schema {
  const [properties, others] = [propertiesOf(one), propertiesOf(other)]
  const both = Object.entries(others).map(([name, property]) => [name, { ...properties[name], ...property }])
  const names = [...required(one), ...required(other)]
  return {
    ...(Object.keys({ ...properties, ...others }).length > 0 && {
      properties: { ...properties, ...Object.fromEntries(both) },
    }),
    ...(names.length > 0 && { required: [...new Set(names)] }),
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const alternativesOf = (schema: Schema) =>
  (schema['anyOf'] ?? schema['oneOf'] ?? shapesOf(schema)) as Schema[] | undefined

/** An object or text in one schema is the same as either in two. */
function shapesOf(schema: Schema): Schema[] | undefined {
  if (typesOf(schema).join() !== 'object,string') return undefined
  const { properties, required: names, maxLength, pattern } = schema
  return [
    { type: 'object', properties, required: names },
    { type: 'string', maxLength, pattern },
  ]
}

const propertiesOf = (schema: Schema) => (schema['properties'] ?? {}) as Record<string, Schema>

const required = (schema: Schema) => (schema['required'] ?? []) as string[]

const isListed = (schema: Schema) => schema['enum'] !== undefined || schema['const'] !== undefined

const valuesOf = (schema: Schema) => [schema['enum'] ?? schema['const'] ?? []].flat().map(String)

const EVERY_TYPE = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

const typesOf = (schema: Schema) => [schema['type'] ?? EVERY_TYPE].flat().map(String)

const accepts = (types: string[], type: string) =>
  types.includes(type) || (type === 'integer' && types.includes('number'))

const difference = (some: string[], others: string[]) => some.filter((one) => !others.includes(one))

/** Returns the shapes of the same type, if any. */
function alike(one: Schema, others: Schema[]): Schema[] {
  const same = others.filter((other) => typesOf(one).every((type) => accepts(typesOf(other), type)))
  return same.length > 0 ? same : others
}

/** Returns the changes relative to the most similar shape. */
const fewest = (all: Change[][]): Change[] => all.toSorted((a, b) => a.length - b.length)[0] ?? []
