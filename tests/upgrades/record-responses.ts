import { createHash } from 'node:crypto'
import { addressOf, namesIn } from '../access/world.ts'
import type { Client } from './client.ts'
import type { Ids, Recorded } from './kept.ts'

const AT_ONCE = 6

/** How a caller authenticates. `userId`: a member, who reads only what is theirs. */
export type Caller = { name: string; headers: Record<string, string>; userId?: string }

/** Left out: they grow while they are read, or are about the reader. */
const MOVING = [/^\/v1\/audit_log$/, /\/access_log$/, /^\/v1\/auth\//, /^\/\.well-known\//, /^\/verify\//]

/** An operation that reads; `isPaged` when it takes a limit. */
export type Read = { path: string; isPaged: boolean }

/** As much of an OpenAPI document as is needed here. */
export type Document = { paths: Record<string, Record<string, { parameters?: { name?: string }[] }>> }

export const readsIn = ({ paths }: Document): Read[] =>
  Object.entries(paths).flatMap(([path, { get }]) =>
    get ? [{ path, isPaged: get.parameters?.some(({ name }) => name === 'limit') ?? false }] : [],
  )

const PAGE = 'limit=100'

/** The paths of every read with every id; of lists, a page that is long enough. */
export function pathsOf(reads: Read[], known: Ids[]): string[] {
  const paths = reads.flatMap(({ path, isPaged }) => {
    const names = namesIn(path)
    const fitting = known.filter((ids) => names.every((name) => ids[name] !== undefined))
    const addresses = names.length === 0 ? [path] : fitting.map((ids) => addressOf(path, ids))
    return addresses.map((one) => (isPaged ? `${one}?${PAGE}` : one))
  })
  return [...new Set(paths)]
}

const isMoving = (path: string) => MOVING.some((pattern) => pattern.test(path.split('?', 1)[0] ?? ''))
const isDocument = (path: string) => path.includes('/documents/')

/** Who asks for a path: a member only for what is theirs, and for documents, which take long, only they and their insurer. */
function callersOf(path: string, callers: Caller[]): Caller[] {
  const [, userId] = /\/users\/(\d{12})/.exec(path) ?? []
  return callers.filter((caller) => {
    if (caller.userId !== undefined && userId !== undefined) return caller.userId === userId
    if (caller.userId !== undefined) return path.startsWith('/wallet/')
    return !isDocument(path)
  })
}

/** `uploads`: the hashes of uploaded files. */
type Recording = { callers: Caller[]; uploads: Set<string> }

/** Every read by every caller who may: each different body once, with all who got it. */
export async function recordResponses(
  client: Client,
  { paths, ...settings }: Recording & { paths: string[] },
): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  const rest = paths.filter((path) => !isMoving(path))
  const take = async () => {
    for (let path = rest.shift(); path !== undefined; path = rest.shift())
      recorded.push(...(await responsesOf(client, path, settings)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  return recorded.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

async function responsesOf(client: Client, path: string, { callers, uploads }: Recording): Promise<Recorded[]> {
  const bodies = new Map<string, Recorded>()
  for (const caller of callersOf(path, callers)) {
    const { status, body, bytes } = await client.send('GET', path, { headers: caller.headers })
    if (status >= 500) throw new Error(`${caller.name}: ${path} returned ${status}`)
    if (status !== 200) continue
    const hash = sha256(bytes)
    const text = isDocument(path) ? '' : JSON.stringify(body)
    const known = bodies.get(text)
    if (known) known.callers.push(caller.name)
    else {
      const content = isDocument(path) ? (uploads.has(hash) ? { sha256: hash } : {}) : { body: body as unknown }
      bodies.set(text, { path, callers: [caller.name], ...content })
    }
  }
  return [...bodies.values()]
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
