import { type ApiDocument, type ApiOperation, operationsOf } from '../client-generator/document.ts'
import { factsOf } from '../client-generator/operations.ts'

const HEADER = '# Generated from openapi.json by `npm run generate`. Do not edit.'
const LINE_WIDTH = 100
/** Parameters whose names Python keeps for itself get an underscore. */
const RESERVED = new Set(['from'])

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const argument = (name: string) => (RESERVED.has(name) ? `${name}_` : name)

/** Returns the generated files of the client for Python, by their path. */
export function pythonFiles(openApi: object): Record<string, string> {
  const document = openApi as ApiDocument
  const { schemas } = document.components
  const methods = operationsOf(document)
    .filter(({ success, isEmpty }) => isEmpty || Object.keys(success).length > 0) // redirects are for browsers
    .map((operation) => methodOf(operation, factsOf(operation, schemas)))
  const version = document.info.version.replace(/-dev$/, '.dev0')
  return {
    'client-python/banyan/operations.py': `${HEADER}\n\nfrom .calls import Calls\n\n\nclass Operations(Calls):\n${methods.join('\n')}`,
    'client-python/banyan/version.py': `${HEADER}\n\nVERSION = '${version}'\n`,
  }
}

/** Returns a method: parts of the path and the body by place, the query and the options by name. */
function methodOf(operation: ApiOperation, facts: ReturnType<typeof factsOf>): string {
  const { operationId, path, parameters, requestBody, summary, description } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]))
  const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const body = requestBody === undefined ? [] : [requestBody.required ? 'body' : 'body=None']
  const named = [...inQuery.map((name) => `${argument(name)}=None`), '**options']
  const signature = ['self', ...inPath, ...body, ...(inQuery.length > 0 ? ['*'] : []), ...named].join(', ')
  const pairs = (names: string[]) => `{${names.map((name) => `'${name}': ${argument(name)}`).join(', ')}}`
  const { id: _id, ...known } = facts
  const table = Object.entries(known).map(
    ([name, value]) => `${name}=${value === true ? 'True' : `'${String(value)}'`}`,
  )
  const call = [
    `dict(${table.join(', ')})`,
    pairs(inPath),
    pairs(inQuery),
    body.length > 0 ? 'body' : 'None',
    'options',
  ]
  const words = wrapped(
    `${summary}. ${description.replaceAll(/\s+/g, ' ')}`.replaceAll('\\', '\\\\').replaceAll('"""', "'''"),
  )
  return `    def ${snake(operationId)}(${signature}):\n        """${words}"""\n        return self._call(${call.join(', ')})\n`
}

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= LINE_WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n        ')
}
