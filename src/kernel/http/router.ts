import FindMyWay from 'find-my-way'
import { jsonBody, JSON_BODY_BYTES_MAX, type BodyReader } from './body.ts'
import type { Handler, Request, Route, RouteRules, RouteSchema } from './exchange.ts'
import { malformedRequest, notFound, ProblemError } from '../problem-error.ts'

/** More than Node reads of all headers, so that a long id is checked like a short one. */
const PARAM_LENGTH_MAX = 16_384

/** A whole URL instead of a path, as a request to a proxy has it. */
const ABSOLUTE = /^https?:\/\//i

/** In the order they are listed in `Allow`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Options = {
  schema?: RouteSchema
  config?: RouteRules
  isHidden?: boolean
  checkFirst?: ((request: Request) => void) | undefined
  reader?: BodyReader
}

/** The table of all routes, in the order in which they were added. What is to be known of a route is worked out from it when the server is built. */
export class Routes {
  readonly all: Route[]
  readonly #prefix: string

  constructor(all: Route[] = [], prefix = '') {
    this.all = all
    this.#prefix = prefix
  }

  /** Returns the same table, for routes below a path. */
  under(prefix: string): Routes {
    return new Routes(this.all, this.#prefix + prefix)
  }

  add(address: string, options: Options, handler: Handler): void {
    const [method = '', path = ''] = address.split(' ')
    const { schema = {}, config = {}, isHidden = false, checkFirst, reader = jsonBody } = options
    const url = this.#prefix + path
    this.all.push({
      method,
      url,
      schema,
      config,
      isHidden,
      checkFirst,
      reader,
      bodyLimit: JSON_BODY_BYTES_MAX,
      handler,
    })
  }

  /** Adds a page or a document that the OpenAPI document does not list. */
  page(path: string, options: Options, handler: Handler): void {
    this.add(`GET ${path}`, { ...options, isHidden: true }, handler)
  }
}

/** What serves a request: a route, or one that throws because there is none. */
export type Found = { route: Route; params: unknown; query: unknown }

type Unserved = { config: RouteRules; noOperation?: string | undefined }

/** The routes of one path. */
type Place = { byMethod: ReadonlyMap<string, Route>; missing: Route }

/**
 * Returns the function that finds the route of a request. `config` is for the methods that a path lacks, `noOperation` the detail of the
 * 404 for a path that is none.
 */
export function createRouter(
  routes: readonly Route[],
  { config, noOperation }: Unserved,
): (method: string, url: string) => Found {
  // One tree for all methods: the path decides, then the method.
  const tree = FindMyWay({ maxParamLength: PARAM_LENGTH_MAX, onBadUrl: () => {} })
  for (const [url, alike = []] of Object.entries(Object.groupBy(routes, (route) => route.url))) {
    const byMethod = new Map(alike.map((route) => [route.method, route]))
    const read = byMethod.get('GET')
    if (read) byMethod.set('HEAD', read)
    const allow = METHODS.filter((method) => byMethod.has(method)).join(', ')
    tree.on('GET', url, () => {}, { byMethod, missing: unserved(url, config, () => notAllowed(allow)) } satisfies Place)
  }
  const malformed = nothing(unserved('none', {}, () => malformedRequest('The URL is malformed.')))
  const unknown = nothing(unserved('none', {}, () => notFound(noOperation)))

  return (method, url) => {
    if (!url.startsWith('/') && !ABSOLUTE.test(url)) return malformed // the tree would take `*` for `/`
    const match = tree.find('GET', url)
    if (match === null || hasEmptyId(match.params)) return unknown
    const { byMethod, missing } = (match.store ?? {}) as Partial<Place>
    if (!byMethod || !missing) return malformed
    return { route: byMethod.get(method) ?? missing, params: match.params, query: match.searchParams }
  }
}

/** A path that ends with a slash where an id could follow names nothing. */
function hasEmptyId(params: Record<string, string | undefined>): boolean {
  for (const name in params) if (params[name] === '' && name.endsWith('id')) return true
  return false
}

const nothing = (route: Route): Found => ({ route, params: {}, query: {} })

/** Creates the route of what is not served. Its body is not worth reading. */
const unserved = (url: string, config: RouteRules, problem: () => ProblemError): Route => ({
  method: 'none',
  url,
  schema: {},
  config,
  isHidden: true,
  checkFirst: () => {
    throw problem()
  },
  reader: jsonBody,
  bodyLimit: 0,
  handler: () => {},
})

const notAllowed = (allow: string) =>
  new ProblemError('method_not_allowed', 'This URL supports only the methods listed in Allow.', { headers: { allow } })
