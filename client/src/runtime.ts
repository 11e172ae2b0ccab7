import { VERSION } from './generated/version.ts'

type Globals = {
  process?: { versions?: { node?: string; bun?: string } }
  Deno?: { version: { deno: string } }
  crypto?: { randomUUID?(): string; getRandomValues?(bytes: Uint8Array): void }
  navigator?: { product?: string; userAgent?: string }
}

const { process, Deno, navigator } = globalThis as Globals
const { node, bun } = process?.versions ?? {}
/** The server's own runtimes; tests under jsdom have a `document`, and are no page. */
const server = bun ? `bun/${bun}` : Deno ? `deno/${Deno.version.deno}` : node ? `node/${node}` : undefined

/** A page, or a worker of one: whoever opens it can read what it holds. */
export const isPage =
  server === undefined &&
  ['document', 'DedicatedWorkerGlobalScope', 'SharedWorkerGlobalScope'].some((name) => name in globalThis)

/** Names the program and the client to the service; a browser says its own name and allows no other. */
export function userAgent(program: string | undefined): Record<string, string> {
  if (isPage) return {}
  const runtime = server ?? (navigator?.product === 'ReactNative' ? 'react-native' : 'other')
  return { 'user-agent': [...(program === undefined ? [] : [program]), `banyan-client/${VERSION}`, runtime].join(' ') }
}

/** Returns a key that no other call has. React Native has no `crypto`, and pages by http no `randomUUID`. */
export function newKey(): string {
  const { crypto } = globalThis as Globals
  if (crypto?.randomUUID) return crypto.randomUUID()
  const bytes = new Uint8Array(16)
  if (crypto?.getRandomValues) crypto.getRandomValues(bytes)
  // A key is no secret: it has to differ from those of the same caller.
  else for (let at = 0; at < bytes.length; at++) bytes[at] = Math.random() * 256
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
