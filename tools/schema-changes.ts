/** What a JSON Schema is here: its keywords. */
export type Schema = Record<string, unknown>

/** A change that breaks callers, and the place in the body where it is. */
type Change = string

/** Compared as they are: of another value nobody can say whether it takes less. Words and examples take nothing. */
const EXACT = ['pattern', 'format', 'const', 'multipleOf', 'uniqueItems']
const EXACT_PRIVATE = ['x-token', 'x-uniqueBy', 'x-dayRange', 'x-paisePrecision']
const LEAST = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']
const MOST = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']

/** What callers may have sent by the old schema and is refused, or not read any more, by the new one. */
export function inputChanges(before: Schema, after: Schema, at = ''): Change[] {
  const [old, now] = [flat(before), flat(after)]
  const alternatives = alternativesOf(now)
  if (alternatives || alternativesOf(old)) {
    return (alternativesOf(old) ?? [old]).flatMap((one) =>
      fewest(alike(one, alternatives ?? [now]).map((other) => inputChanges(one, other, at))),
    )
  }
  const told = (words: string): Change => `${at || '/'}: ${words}`
  const narrowed = typesOf(old).filter((type) => !accepts(typesOf(now), type))
  if (narrowed.length > 0 || typesOf(old).every((type) => type === 'null')) {
    return narrowed.map((type) => told(`${type} is not taken any more`))
  }
  const lost = isListed(now) ? valuesOf(old).filter((value) => !valuesOf(now).includes(value)) : []
  const needed = difference(required(now), required(old))
  return [
    ...(isListed(now) && !isListed(old) ? [told('only certain values are taken now')] : []),
    ...lost.map((value) => told(`${value} is not taken any more`)),
    ...needed.map((name) => told(`${name} is needed now`)),
    ...stricterBounds(old, now).map(told),
    ...(now['additionalProperties'] === false && old['additionalProperties'] !== false
      ? [told('no other members are taken now')]
      : []),
    ...inside(old, now, at, inputChanges, 'is not read any more'),
  ]
}

/** What callers may rely on by the old schema and cannot by the new one. More than before is no change. */
export function outputChanges(before: Schema, after: Schema, at = ''): Change[] {
  const [old, now] = [flat(before), flat(after)]
  const alternatives = alternativesOf(old)
  if (alternatives || alternativesOf(now)) {
    return (alternativesOf(now) ?? [now]).flatMap((one) =>
      fewest(alike(one, alternatives ?? [old]).map((other) => outputChanges(other, one, at))),
    )
  }
  const told = (words: string): Change => `${at || '/'}: ${words}`
  const widened = typesOf(now).filter((type) => !accepts(typesOf(old), type))
  if (widened.length > 0 || typesOf(now).every((type) => type === 'null')) {
    return widened.map((type) => told(`can be ${type} now`))
  }
  return [
    ...(isListed(old) && !isListed(now) ? [told('the values are not listed any more')] : []),
    ...(old['format'] !== undefined && old['format'] !== now['format'] ? [told('has another format')] : []),
    ...difference(required(old), required(now))
      .filter((name) => name in propertiesOf(now))
      .map((name) => told(`${name} is not always there any more`)),
    ...inside(old, now, at, outputChanges, 'is gone'),
  ]
}

function stricterBounds(old: Schema, now: Schema): string[] {
  const number = (schema: Schema, keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise)
  const changed = (keyword: string) =>
    now[keyword] !== undefined && JSON.stringify(now[keyword]) !== JSON.stringify(old[keyword])
  const [choices, choicesBefore] = [now, old].map((schema) => schema['x-requiresOneOf'] as string[] | undefined)
  return [
    ...LEAST.filter((keyword) => number(now, keyword, -Infinity) > number(old, keyword, -Infinity)),
    ...MOST.filter((keyword) => number(now, keyword, Infinity) < number(old, keyword, Infinity)),
    ...[...EXACT, ...EXACT_PRIVATE].filter(changed),
    ...(choices && (!choicesBefore || difference(choicesBefore, choices).length > 0) ? ['x-requiresOneOf'] : []),
  ].map((keyword) => `${keyword} is stricter or another now`)
}

type Compare = (before: Schema, after: Schema, at: string) => Change[]

/** The changes of the members and items, and the members that are not there any more. */
function inside(old: Schema, now: Schema, at: string, compare: Compare, gone: string): Change[] {
  const members = Object.entries(propertiesOf(old)).flatMap(([name, property]) => {
    const other = propertiesOf(now)[name]
    return other ? compare(property, other, `${at}/${name}`) : [`${at}/${name}: ${gone}`]
  })
  const [items, otherItems] = [old['items'], now['items']]
  return isSchema(items) && isSchema(otherItems) ? [...members, ...compare(items, otherItems, `${at}/*`)] : members
}

/** All that `allOf` says, in one schema. */
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

const alternativesOf = (schema: Schema) => (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined

const propertiesOf = (schema: Schema) => (schema['properties'] ?? {}) as Record<string, Schema>

const required = (schema: Schema) => (schema['required'] ?? []) as string[]

const isListed = (schema: Schema) => schema['enum'] !== undefined || schema['const'] !== undefined

const valuesOf = (schema: Schema) => [schema['enum'] ?? schema['const'] ?? []].flat().map(String)

const EVERY_TYPE = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

const typesOf = (schema: Schema) => [schema['type'] ?? EVERY_TYPE].flat().map(String)

const accepts = (types: string[], type: string) =>
  types.includes(type) || (type === 'integer' && types.includes('number'))

const difference = (some: string[], others: string[]) => some.filter((one) => !others.includes(one))

/** Of several shapes those of the same type, when there are such. */
function alike(one: Schema, others: Schema[]): Schema[] {
  const same = others.filter((other) => typesOf(one).every((type) => accepts(typesOf(other), type)))
  return same.length > 0 ? same : others
}

/** Of several shapes that could be meant, what is told of the nearest one. */
const fewest = (all: Change[][]): Change[] => all.toSorted((a, b) => a.length - b.length)[0] ?? []
