import { type ApiOperation, assertFound, comment, fileOf, refName, type Schema } from './document.ts'
import { PAISE_NAMES } from '../../client/src/wire.ts'
import { pascal } from './ids.ts'
import { parameterType, typeOf } from './schemas.ts'

/**
 * Writes without an idempotency key that may be sent again all the same: an exchange and a log-out change nothing when
 * they are repeated, a search reads, and a refresh within ten seconds returns the same pair.
 */
const REPEATABLE = new Set(['createImport', 'exchangeCredential', 'logOut', 'logOutOfWallet', 'refreshWalletToken'])
const isSearch = ({ operationId }: ApiOperation) => operationId.startsWith('search')

/** How a request authenticates, in the order of preference. */
const CREDENTIALS = ['basic', 'wallet_bearer', 'admin_key', 'signature', 'bearer', 'session'] as const

/** What the types of an operation are called in the generated code. */
export type OperationTypes = {
  path: string[]
  /** The name of the type of the query, and what it says; empty when there is none. */
  query: string
  queryMembers: string
  isQueryRequired: boolean
  /** The type of the body; empty when there is none. */
  body: string
  isBodyRequired: boolean
  result: string
  /** The type of an entry, for a list. */
  item: string
}

export function typesOf(operation: ApiOperation, schemas: Record<string, Schema>): OperationTypes {
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  const query = inQuery.map(({ name, schema, required, description }) => {
    const type = parameterType(name, schema)
    return `${comment(description ?? '', '  ')}  ${name}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}\n`
  })
  const { items, schema } = itemsOf(operation, schemas)
  return {
    path: [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1])),
    query: query.length === 0 ? '' : `${pascal(operation.operationId)}Query`,
    queryMembers: query.join(''),
    isQueryRequired: inQuery.some(({ required }) => required),
    body: bodyType(operation),
    isBodyRequired: operation.requestBody?.required === true,
    result: resultType(operation),
    item: items === '' ? '' : typeOf(schema, { name: 'data', owner: '', direction: 'response' }),
  }
}

function bodyType({ requestBody }: ApiOperation): string {
  if (requestBody === undefined) return ''
  const { schema } = requestBody.content['application/json'] ?? {}
  return schema?.$ref === undefined ? 'Uint8Array | ArrayBuffer | Blob' : refName(schema.$ref)
}

function resultType({ success, isEmpty, operationId }: ApiOperation): string {
  if (success['application/pdf']) return 'DocumentStream'
  const { schema } = success['application/json'] ?? {}
  if (schema === undefined) return isEmpty ? 'Done' : 'Redirect'
  assertFound(schema.$ref, `a named schema of the result of ${operationId}`)
  return refName(schema.$ref)
}

/** Where the entries of a list are: `data`, or `data.messages` alongside something else. Empty for what is no list. */
function itemsOf({ parameters, success }: ApiOperation, schemas: Record<string, Schema>) {
  const isPaged = parameters.some(({ name, in: location }) => location === 'query' && name === 'limit')
  const { $ref = '' } = success['application/json']?.schema ?? {}
  const data = schemas[refName($ref)]?.properties?.['data']
  if (!isPaged || data === undefined) return { items: '', schema: {} }
  if (data.items) return { items: 'data', schema: data.items }
  const [[name, inner] = ['', {}]] = Object.entries(data.properties ?? {}).filter(([, { type }]) => type === 'array')
  assertFound(inner.items, `entries in ${$ref}`)
  return { items: `data.${name}`, schema: inner.items }
}

/** Returns the file with a value for each operation, all that the client has to know about it at run time. */
export function operationsFile(operations: ApiOperation[], schemas: Record<string, Schema>): string {
  const declared = operations.map((operation) => {
    const { path, query, queryMembers, body, isBodyRequired, result, item } = typesOf(operation, schemas)
    const pathType = path.map((name) => `${name}: ${parameterType(name, parameterSchema(operation, name))}`)
    const call = [
      ...(path.length > 0 ? [`path: { ${pathType.join('; ')} }`] : []),
      ...(query === '' ? [] : [`query?: ${query} | undefined`]),
      ...(body === '' ? [] : [`body${isBodyRequired ? '' : '?'}: ${body}${isBodyRequired ? '' : ' | undefined'}`]),
    ]
    const types = [`{ ${call.join('; ')} }`, result, ...(item === '' ? [] : [item])].join(', ')
    const declaredQuery = query === '' ? '' : `export type ${query} = {\n${queryMembers}}\n\n`
    return `${declaredQuery}${comment(`${operation.summary}. ${operation.description}`)}export const ${operation.operationId}: Operation<${types}> = ${valueOf(operation, schemas)}`
  })
  const used = (text: string, pattern: RegExp) => [...new Set(text.match(pattern) ?? [])].toSorted()
  const all = declared
    .join('\n')
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/'[^'\n]*'/g, '')
  const ids = used(all, /\b[A-Z]\w+Id\b/g)
  const named = used(all, /\b[A-Z]\w+\b/g).filter((name) => name in schemas)
  return fileOf(
    [
      `import type { Done, DocumentStream, Operation, Redirect } from '../operation.ts'`,
      ...(/\bInstant\b/.test(all) ? [`import type { Instant } from '../instant.ts'`] : []),
      ...(/\bPlainDate\b/.test(all) ? [`import type { PlainDate } from '../plain-date.ts'`] : []),
      `import type { ${ids.join(', ')} } from './ids.ts'`,
      `import type {\n  ${named.join(',\n  ')},\n} from './schemas.ts'`,
    ].join('\n'),
    ...declared,
  )
}

export function parameterSchema({ parameters, operationId }: ApiOperation, name: string): Schema {
  const found = parameters.find((parameter) => parameter.name === name)
  assertFound(found, `the parameter ${name} of ${operationId}`)
  return found.schema
}

/** Whether an amount in the body is an object with its currency: those of wallets are numbers of paise. */
function takesRupees(operation: ApiOperation, schemas: Record<string, Schema>): boolean {
  const properties = schemas[bodyType(operation)]?.properties ?? {}
  return PAISE_NAMES.some((name) => properties[name] !== undefined && !isNumber(properties[name]))
}

const isNumber = ({ type }: Schema) => [type].flat().some((one) => one === 'integer' || one === 'number')

/** Returns all that a client has to know about an operation at run time. */
export function factsOf(operation: ApiOperation, schemas: Record<string, Schema>) {
  const { operationId: id, method, path, parameters, security, success, isEmpty, requestBody } = operation
  const allowed = new Set(security.flatMap(Object.keys))
  const [auth = 'none'] = CREDENTIALS.filter((one) => allowed.has(one))
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
  const { items } = itemsOf(operation, schemas)
  return {
    id,
    method,
    path,
    ...(auth !== 'bearer' && { auth }),
    ...(isKeyed && { keyed: true }),
    ...(takesRupees(operation, schemas) && { inRupees: true }),
    ...((REPEATABLE.has(id) || isSearch(operation)) && { repeatable: true }),
    ...(requestBody?.content['application/pdf'] && { sends: 'pdf' }),
    ...(requestBody?.content['text/csv'] && { sends: 'csv' }),
    ...(success['application/pdf'] && { returns: 'pdf' }),
    ...(Object.keys(success).length === 0 && { returns: isEmpty ? 'nothing' : 'redirect' }),
    ...(items !== '' && items !== 'data' && { items }),
  }
}

function valueOf(operation: ApiOperation, schemas: Record<string, Schema>): string {
  const members = Object.entries(factsOf(operation, schemas)).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value).replaceAll('"', "'")},\n`,
  )
  return `{\n${members.join('')}}`
}
