import { VERSION } from './generated/version.ts'

type Globals = {
  process?: { versions?: { node?: string; bun?: string } }
  Deno?: { version: { deno: string } }
}

/** Names the program and the client to the service; a browser says its own name and allows no other. */
export function userAgent(program: string | undefined): Record<string, string> {
  const { process, Deno } = globalThis as Globals
  const { node, bun } = process?.versions ?? {}
  if ('document' in globalThis) return {}
  const runtime = bun ? `bun/${bun}` : Deno ? `deno/${Deno.version.deno}` : `node/${node ?? 'unknown'}`
  return { 'user-agent': [...(program === undefined ? [] : [program]), `banyan-client/${VERSION}`, runtime].join(' ') }
}
