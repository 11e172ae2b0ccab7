/** A function in a profile. */
export type Frame = { functionName: string; url: string; lineNumber: number }

/** What V8 counts alongside functions. */
const STATES = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'event loop and compiler'],
  ['(root)', 'event loop and compiler'],
])

/** Native functions have no file; they are known by their names. */
const NATIVE: [RegExp, string][] = [
  [/^(write|shutdown|readStart|readStop|close|connect|open)/, 'native: sockets'],
  [
    /sign|verify|hmac|hash|digest|cipher|random|authtag|setaad|^(update|final|job|run|import|export)/i,
    'native: cryptography',
  ],
  [/utf8|latin1|ucs2|ascii|base64|hex|bytelength|^(copy|compare|fill|indexof|tostring)/i, 'native: buffers and text'],
]

const NODE_MODULES: [RegExp, string][] = [
  [/^(_http|http|internal\/http)/, 'node: http'],
  [/^(net|_stream|stream|internal\/(streams|stream_base|net|js_stream|webstreams))/, 'node: net and streams'],
  [/^(crypto|internal\/crypto)/, 'node: crypto'],
  [/^(buffer|internal\/buffer|string_decoder)/, 'node: buffer'],
]

const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/
const OWN = /\/src\/((?:domains|kernel)\/[^/]+|[^/]+)\//

/** Returns what a function belongs to: a folder of the product, a package, a part of Node; undefined when it is idle. */
export function moduleOf({ functionName, url }: Frame): string | undefined {
  if (functionName === '(idle)') return undefined
  const state = STATES.get(functionName)
  if (state !== undefined) return state
  const firstIn = (list: [RegExp, string][], text: string) => list.find(([pattern]) => pattern.test(text))?.[1]
  if (url === '') return firstIn(NATIVE, functionName) ?? 'native: other'
  if (url.startsWith('node:')) return firstIn(NODE_MODULES, url.slice('node:'.length)) ?? 'node: other'
  const [, name] = PACKAGE.exec(url) ?? []
  if (name !== undefined) return `npm: ${name}`
  const [, folder] = OWN.exec(url) ?? []
  return folder === undefined ? 'src' : `src/${folder}`
}

/** Returns where a function stands, short. */
export function locationOf({ functionName, url, lineNumber }: Frame): string {
  const file = url.replace(/^.*\/(?=(node_modules|src)\/)/, '').replace(/^node_modules\//, '')
  return url === '' ? functionName : `${functionName || 'anonymous'} (${file}:${lineNumber + 1})`
}
