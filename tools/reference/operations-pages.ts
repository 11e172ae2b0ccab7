import { fieldRows } from './field-rows.ts'
import { anchorOf, json, page, table } from './markdown.ts'
import {
  type Located,
  type OpenApi,
  type Operation,
  operationsIn,
  type Parameter,
  type Schema,
} from './openapi-parts.ts'

const INTRODUCTION = `A page for each group, in the order in which a partner meets them. Requests and responses are JSON; the
[OpenAPI document](../../../openapi.json) describes the same for programs, and at [/docs/try](/docs/try) you can try each operation as
the administrator who is logged in.`

/** Of every operation, so they are not repeated for each. */
const ALWAYS = 'These can come from every operation, and are not repeated for each:'

/** Returns the page of a group, relative to the folder of the reference. */
export const pageOfTag = (tag: string): string => `operations/${anchorOf(tag)}.md`

/** Returns the pages of all operations: one for each group, and one that lists them. */
export function operationsPages(document: OpenApi): Record<string, string> {
  const operations = operationsIn(document)
  const common = codesOfAll(operations)
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    located: operations.filter(({ operation }) => operation.tags[0] === name),
  }))
  const overview = groups.map(({ name, description, located }) => {
    const rows = located.map(({ method, path, operation: { summary } }) => [
      `[${summary}](${anchorOf(name)}.md#${anchorOf(summary)})`,
      `\`${method} ${path}\``,
    ])
    return `## ${name}\n\n${linked(description)}.\n\n${table(['Operation', 'Request'], rows)}`
  })
  const links = common.map((code) => `[\`${code}\`](../errors.md#${code})`).join(', ')
  return {
    'operations/README.md': page(
      'Operations',
      INTRODUCTION,
      ...overview,
      headersTable(operations),
      '## Problems of every operation',
      `${ALWAYS} ${links}.`,
    ),
    ...Object.fromEntries(
      groups.map(({ name, description, located }) => {
        const seen = new Map<string, string>()
        const sections = located.map((one) => operationSection(one, { common, seen }))
        return [pageOfTag(name), page(name, `${linked(description)}.`, ...sections)]
      }),
    ),
  }
}

/** Links of the served pages, as they are between files. */
const linked = (text: string) =>
  text.replaceAll('](/docs/events)', '](../events.md)').replaceAll('](/docs/errors)', '](../errors.md)')

type Shared = { common: readonly string[]; seen: Map<string, string> }

function operationSection({ method, path, operation }: Located, { common, seen }: Shared): string {
  const { summary, description, parameters = [] } = operation
  const named = parameters.filter((parameter) => !isCommonHeader(parameter))
  const own = codesOf(operation).filter((code) => !common.includes(code))
  const parts = [
    `## ${summary}`,
    `\`\`\`http ${operation.tags[0].replaceAll(' ', '_')}/${operation.operationId}\n${method} ${path}\n\`\`\``,
    linked(description),
    headersLine(parameters),
    named.length === 0
      ? ''
      : table(
          ['Parameter', 'In', 'Type', 'Meaning'],
          named.map((parameter) => {
            const { schema, description: about = '' } = parameter
            const [, type, words] = fieldRows({ ...schema, description: about })[0] ?? ['', '', '']
            return [`\`${parameter.name}\``, parameter.in, `${type}${parameter.required ? ', required' : ''}`, words]
          }),
        ),
    ...bodyParts(operation),
    ...responseParts(operation, seen),
    own.length === 0 ? '' : `**Problems:** ${own.map((code) => `[\`${code}\`](../errors.md#${code})`).join(', ')}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Headers that many operations take are explained once. */
const isCommonHeader = ({ in: place, required }: Parameter) => place === 'header' && !required

function headersLine(parameters: readonly Parameter[]): string {
  const names = parameters.filter(isCommonHeader).map(({ name }) => `[\`${name}\`](README.md#headers)`)
  return names.length === 0 ? '' : `**Headers:** ${names.join(', ')}`
}

function headersTable(operations: readonly Located[]): string {
  const headers = operations.flatMap(({ operation }) => (operation.parameters ?? []).filter(isCommonHeader))
  const words = new Map(headers.map(({ name, description = '' }) => [name, description]))
  return `## Headers\n\n${table(
    ['Header', 'Meaning'],
    Array.from(words, ([name, text]) => [`\`${name}\``, text]),
  )}`
}

function bodyParts({ requestBody }: Operation): string[] {
  if (!requestBody) return []
  return Object.entries(requestBody.content).flatMap(([type, { schema, example }]) => {
    const needed = requestBody.required === false ? ', which may be missing' : ''
    const sample = example ?? exampleIn(schema)
    const intro = `**Body:** \`${type}\`${needed}`
    return [intro, fieldsTable(schema), typeof sample === 'object' ? json(sample) : '']
  })
}

function responseParts({ responses, summary }: Operation, seen: Map<string, string>): string[] {
  return Object.entries(responses)
    .filter(([status]) => status < '304')
    .flatMap(([status, { description, content = {} }]) => {
      const words = description === summary ? '' : `. ${description.replace(/\.$/, '')}`
      const intro = `**Response:** ${status}${words}.`
      const [[type, media] = []] = Object.entries(content)
      if (media === undefined || type !== 'application/json') return [type ? `${intro} \`${type}\`` : intro]
      const key = JSON.stringify(media.schema)
      const before = seen.get(key)
      if (before !== undefined) return [`${intro} Its members are those of [${before}](#${anchorOf(before)}).`]
      seen.set(key, summary)
      const sample = media.example ?? exampleIn(media.schema)
      return [intro, fieldsTable(media.schema, 'response'), typeof sample === 'object' ? json(sample) : '']
    })
}

const exampleIn = ({ example, examples }: Schema) => example ?? examples?.[0]

function fieldsTable(schema: Schema, of: 'body' | 'response' = 'body'): string {
  const rows = fieldRows(schema, { marksRequired: of === 'body' }).filter(([name]) => name !== '')
  return rows.length === 0
    ? ''
    : table(
        ['Member', 'Type', 'Meaning'],
        rows.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
      )
}

/** Returns the codes of the problems that an operation can respond with. */
function codesOf({ responses }: Operation): string[] {
  return Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}),
  )
}

function codesOfAll(operations: readonly Located[]): string[] {
  const [first, ...others] = operations
    .filter(({ path }) => /^\/(?:wallet\/)?v1\//.test(path))
    .map(({ operation }) => new Set(codesOf(operation)))
  return [...(first ?? [])].filter((code) => others.every((codes) => codes.has(code)))
}
