import { FREE_FORM, INSTANT_NAME, PAISE_NAMES } from '../../client/src/wire.ts'
import { type ApiDocument, comment, fileOf, refName, type Schema } from './document.ts'
import { idTypeOf } from './ids.ts'

const INSTANT_PATTERN = 'T\\d{2}:\\d{2}:\\d{2}'
/** A request takes times in more than one form, so only their example shows it. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** Where a type stands: the name of its field, and the schema or field around it. */
type Place = { name: string; owner: string; direction: Direction }
/** What a schema is used for: a request may say less, a response may say something new. */
type Direction = 'request' | 'response'

/** Returns the file with a type for each schema of the document. */
export function schemasFile(document: ApiDocument): string {
  const responses = reachedFromResponses(document)
  const declared = Object.entries(document.components.schemas)
    .filter(([name]) => name !== 'Money')
    .map(([name, schema]) => {
      const direction: Direction = responses.has(name) ? 'response' : 'request'
      const type = typeOf(schema, { name: '', owner: name, direction })
      const description = schema.description === undefined ? '' : comment(schema.description)
      if (name === 'Event')
        return `${description}export type Event = KnownEvent | UnknownEvent\nexport type KnownEvent = ${type}`
      return `${description}export type ${name} = ${type}`
    })
  const ids = [...new Set(declared.flatMap((text) => text.match(/\b[A-Z]\w+Id\b/g) ?? []))].toSorted()
  return fileOf(
    [
      `import type { Instant } from '../instant.ts'`,
      `import type { Money } from '../money.ts'`,
      `import type { Open, UnknownEvent } from '../open.ts'`,
      `import type { PlainDate } from '../plain-date.ts'`,
      `import type { ${ids.join(', ')} } from './ids.ts'`,
    ].join('\n'),
    ...declared,
  )
}

/** The schemas that a response or a webhook can contain. */
function reachedFromResponses({ paths, components }: ApiDocument): Set<string> {
  const reached = new Set<string>()
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    const { $ref } = value as Schema
    if (typeof $ref === 'string' && !reached.has(refName($ref))) {
      reached.add(refName($ref))
      visit(components.schemas[refName($ref)])
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  for (const methods of Object.values(paths)) for (const { responses } of Object.values(methods)) visit(responses)
  for (const name of ['Event', 'Problem']) visit({ $ref: name })
  return reached
}

export function typeOf(schema: Schema, place: Place): string {
  const { $ref, type, anyOf, oneOf, items, enum: values } = schema
  if ($ref !== undefined) return refName($ref)
  if (anyOf ?? oneOf) return union((anyOf ?? oneOf ?? []).map((one) => typeOf(one, place)))
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, place)))
  if (values) return enumeration(values, place, schema)
  switch (type ?? 'any') {
    case 'null':
      return 'null'
    case 'boolean':
      return 'boolean'
    case 'integer':
    case 'number':
      return PAISE_NAMES.includes(place.name) ? 'Money' : 'number'
    case 'array':
      return `readonly (${typeOf(items ?? {}, place)})[]`.replace(/\(([\w'.]+)\)/, '$1')
    case 'object':
      return objectOf(schema, place)
    case 'string':
      return stringOf(schema, place)
    default:
      return 'unknown'
  }
}

const union = (types: string[]) => [...new Set(types)].join(' | ')

/** Plans are saved as a whole: what was read is sent back, and its type is that of the input. */
const SENT_BACK = ['Plan']

/** In a request the values are closed. In a response a value that is newer than the client may appear. */
function enumeration(values: (string | number)[], { name, owner, direction }: Place, { type }: Schema): string {
  const literals = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ')
  // What distinguishes the members of a union apart is closed, so that it narrows them.
  const isDiscriminator = values.length === 1 && (name === 'type' || name === 'sponsor_kind')
  if (direction === 'request' || isDiscriminator || SENT_BACK.includes(owner) || type !== 'string' || owner === '')
    return literals
  return `Open<${literals}>`
}

function stringOf({ format, pattern = '', examples = [] }: Schema, { name, owner, direction }: Place): string {
  const isInstant = format === 'date-time' || pattern.includes(INSTANT_PATTERN) || INSTANT.test(String(examples[0]))
  if (isInstant !== INSTANT_NAME.test(name) && direction === 'response')
    throw new Error(`${owner}.${name}: a time is known by its name; see INSTANT_NAME in client/src/wire.ts`)
  if (isInstant) return 'Instant'
  if (format === 'date') return 'PlainDate'
  return idTypeOf(name, owner) ?? 'string'
}

function objectOf(
  { properties, required = [], additionalProperties }: Schema,
  { name, owner, direction }: Place,
): string {
  if (properties === undefined) {
    if (typeof additionalProperties !== 'object') return 'Record<string, unknown>'
    const isFree = Object.keys(additionalProperties).length === 0
    if (isFree && name !== FREE_FORM)
      throw new Error(`${owner}.${name}: the client decodes inside this free-form object`)
    return `Record<string, ${isFree ? 'unknown' : typeOf(additionalProperties, { name: '', owner: name, direction })}>`
  }
  if (isAmount(properties)) return 'Money'
  const around = name === '' ? owner : name
  const members = Object.entries(properties).map(([member, schema]) => {
    const type = typeOf(schema, { name: member, owner: around, direction })
    const description = schema.description === undefined ? '' : comment(schema.description, '  ')
    // `undefined` is spelled out, so that the types mean the same with and without exactOptionalPropertyTypes.
    return `${description}  ${member}${required.includes(member) ? `: ${type}` : `?: ${type} | undefined`}\n`
  })
  return `{\n${members.join('')}}`
}

/** The client decodes every object with these members, whatever its schema is called: one below zero, or above. */
const isAmount = (properties: Record<string, Schema>): boolean =>
  Object.keys(properties).toSorted().join() === 'currency,value'

/** The type of a parameter of a path or a query. */
export function parameterType(name: string, schema: Schema): string {
  if (name === 'member_id') return `'self' | DependantId`
  const tokens = schema['x-token']
  if (tokens) return tokens.map((token) => `\`${token.replace(/\{\w+\}/, '${string}')}\``).join(' | ')
  return typeOf(schema, { name, owner: 'Request', direction: 'request' })
}
