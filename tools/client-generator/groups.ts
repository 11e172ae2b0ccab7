import { type ApiOperation, comment, fileOf, type Schema } from './document.ts'
import { pascal } from './ids.ts'
import { methodNameOf } from './names.ts'
import { parameterSchema, typesOf } from './operations.ts'
import { parameterType } from './schemas.ts'

/** A member of the body that is an argument of its own, because it is what the call is about. */
const LEADING: Record<string, { member: string; type: string }> = {
  creditWallet: { member: 'amount', type: 'Money' },
  debitWallet: { member: 'amount', type: 'Money' },
}

type Method = { name: string; operation: ApiOperation }

/** Returns the file with a class for each group of operations: `banyan.users`, `banyan.user(id).policies`. */
export function groupsFile(operations: ApiOperation[], schemas: Record<string, Schema>): string {
  const groups = new Map<string, { scope: 'root' | 'user'; group: string; methods: Method[] }>()
  for (const operation of operations) {
    const { scope, group, method } = methodNameOf(operation)
    const found = groups.get(`${scope}.${group}`) ?? { scope, group, methods: [] }
    if (found.methods.some(({ name }) => name === method))
      throw new Error(`${operation.operationId}: ${scope}.${group}.${method} exists`)
    found.methods.push({ name: method, operation })
    groups.set(`${scope}.${group}`, found)
  }
  const classes = [...groups.values()].map(({ scope, group, methods }) =>
    classOf({
      name: className(scope, group),
      scope,
      methods,
      schemas,
      fields: fieldsOf(scope, group, [...groups.values()]),
    }),
  )
  const root = [...groups.values()].filter(({ scope }) => scope === 'root')
  const fields = root.map(({ group }) => `  readonly ${group} = new ${className('root', group)}(this.connection)\n`)
  // A user's groups come first, because its class creates them.
  const rank = (text: string) => (text.includes('class UserScope') ? 1 : 0)
  classes.sort((one, other) => rank(one) - rank(other))
  const rootClass = `/** Every operation that is not about one user. */\nexport class Groups extends Group {\n${fields.join('')}}`
  return fileOf(importsFor([...classes, rootClass].join('\n'), schemas), ...classes, rootClass)
}

/** The groups of a user are fields of the class for the user. */
function fieldsOf(scope: string, group: string, all: { scope: string; group: string }[]): string[] {
  if (scope !== 'user' || group !== '') return []
  return all
    .filter((other) => other.scope === 'user' && other.group !== '')
    .map((other) => `  readonly ${other.group} = new ${className('user', other.group)}(this.connection, this.userId)\n`)
}

function className(scope: 'root' | 'user', group: string): string {
  if (scope === 'root') return `${pascal(group)}Operations`
  return group === '' ? 'UserScope' : `User${pascal(group)}Operations`
}

type ClassParts = { name: string; scope: string; methods: Method[]; fields: string[]; schemas: Record<string, Schema> }

function classOf({ name, scope, methods, fields, schemas }: ClassParts): string {
  const base = scope === 'user' ? 'GroupOfUser' : 'Group'
  const text = methods.map((method) => methodText(method, scope, schemas))
  return `export class ${name} extends ${base} {\n${[...(fields.length > 0 ? [fields.join('')] : []), ...text].join('\n')}}`
}

function methodText({ name, operation }: Method, scope: string, schemas: Record<string, Schema>): string {
  const { operationId, parameters, method } = operation
  const types = typesOf(operation, schemas)
  const isOfUser = scope === 'user'
  const leading = LEADING[operationId]
  // A document's query is one of the options: the first versions of the client had none there.
  const isInOptions = types.query !== '' && operation.path.includes('/documents/')
  const inPath = types.path.filter((one) => !(isOfUser && one === 'user_id'))
  const args = [
    ...inPath.map((one) => `${one}: ${parameterType(one, parameterSchema(operation, one))}`),
    ...(leading ? [`${leading.member}: ${leading.type}`] : []),
    ...(types.body === ''
      ? []
      : [argument('body', leading ? `Omit<${types.body}, '${leading.member}'>` : types.body, types.isBodyRequired)]),
    ...(types.query === '' || isInOptions ? [] : [argument('query', types.query, types.isQueryRequired)]),
  ]
  const path = [...(isOfUser ? ['user_id: this.userId'] : []), ...inPath]
  const call = [
    ...(path.length > 0 ? [`path: { ${path.join(', ')} }`] : []),
    ...(types.query === '' ? [] : [isInOptions ? 'query: options?.query' : 'query']),
    ...(types.body === '' ? [] : [leading ? `body: { ...body, ${leading.member} }` : 'body']),
  ].join(', ')
  const has = (header: string) => parameters.some((parameter) => parameter.name === header)
  const kind =
    method === 'GET' || !has('Prefer') ? 'ReadOptions' : has('If-Match') ? 'WriteOptions & IfMatch' : 'WriteOptions'
  const options = isInOptions ? `${kind} & { query?: ${types.query} }` : kind
  const head = (last: string, result: string) => `  ${name}(${[...args, last].join(', ')}): ${result}`
  const run = types.item === '' ? 'this.connection.call' : 'this.connection.list'
  const body = `return ${run}(operations.${operationId}, { ${call} }, options)`.replace('{  }', '{}')
  const result = types.item === '' ? `Promise<${types.result}>` : `List<${types.item}, ${types.result}>`
  const text = comment(`${operation.summary}. ${operation.description}`, '  ')
  if (!has('If-None-Match')) return `${text}${head(`options?: ${options}`, result)} {\n    ${body}\n  }\n`
  return [
    `${text}${head(`options: ${options} & IfNoneMatch`, `Promise<${types.result} | NotModified>`)}\n`,
    `${head(`options?: ${options}`, result)}\n`,
    `${head(`options?: ${options}`, result)} {\n    ${body}\n  }\n`,
  ].join('')
}

const argument = (name: string, type: string, isRequired: boolean) => `${name}${isRequired ? '' : '?'}: ${type}`

function importsFor(text: string, schemas: Record<string, Schema>): string {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/'[^'\n]*'/g, '')
  const words = [...new Set(code.match(/\b[A-Z]\w+\b/g) ?? [])].toSorted()
  const from = (names: string[], file: string) =>
    names.length === 0 ? [] : [`import type { ${names.join(', ')} } from '${file}'`]
  const pick = (...names: string[]) => names.filter((name) => words.includes(name))
  return [
    `import { Group, GroupOfUser } from '../group.ts'`,
    ...from(pick('List'), '../list.ts'),
    ...from(pick('Money'), '../money.ts'),
    ...from(
      pick(
        'Done',
        'DocumentStream',
        'IfMatch',
        'IfNoneMatch',
        'NotModified',
        'ReadOptions',
        'Redirect',
        'WriteOptions',
      ),
      '../operation.ts',
    ),
    ...from(
      words.filter((word) => word.endsWith('Id')),
      './ids.ts',
    ),
    `import * as operations from './operations.ts'`,
    ...from(
      words.filter((word) => word.endsWith('Query')),
      './operations.ts',
    ),
    ...from(
      words.filter((word) => word in schemas && word !== 'Money'),
      './schemas.ts',
    ),
  ].join('\n')
}
