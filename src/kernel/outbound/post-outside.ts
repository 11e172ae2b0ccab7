import { TargetRefused, type Targets } from './public-address.ts'

/** Why there was no response, for programs to branch on. */
export const POST_FAILURES = ['address_not_allowed', 'name_not_found', 'no_connection', 'tls', 'timeout'] as const
export type PostFailure = (typeof POST_FAILURES)[number]

/** The outcome of a call: a status with the beginning of the response and its `Retry-After`, or the failure. */
export type PostOutcome = {
  status: number | null
  failure: PostFailure | null
  excerpt: string | null
  retryAfter: string | null
}

type Post = { url: string; headers: Record<string, string>; body: string }

export type Poster = { post(call: Post): Promise<PostOutcome>; close(): Promise<void> }

const TIMEOUT_MS = 15_000
const EXCERPT_BYTES_MAX = 1_024

/**
 * Posts JSON to URLs registered by partners, over kept-alive connections. Does not follow redirects, reads responses
 * within limits, and never throws because of the receiver. The client is loaded for the first call: that takes a tenth of
 * the CPU time of a worker's start.
 */
export function createPoster(targets: Targets): Poster {
  let client: ReturnType<typeof createClient> | undefined
  return {
    async post({ url, headers, body }) {
      if (targets.findUrlError(url) !== undefined) return failed('address_not_allowed')
      const { fetch, dispatcher, responseBytesMax } = await (client ??= createClient(targets))
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', ...headers },
          body,
          redirect: 'manual',
          signal: AbortSignal.timeout(TIMEOUT_MS),
          dispatcher,
        })
        return {
          status: response.status,
          failure: null,
          excerpt: await readExcerpt(response.body, responseBytesMax),
          retryAfter: response.headers.get('retry-after'),
        }
      } catch (error) {
        return failed(toFailure(error))
      }
    },
    close: async () => (await client)?.dispatcher.destroy(),
  }
}

async function createClient(targets: Targets) {
  const { fetch, createOutsideAgent, RESPONSE_BYTES_MAX } = await import('./outside-agent.ts')
  return { fetch, dispatcher: createOutsideAgent(targets), responseBytesMax: RESPONSE_BYTES_MAX }
}

const failed = (failure: PostFailure): PostOutcome => ({
  status: null,
  failure,
  excerpt: null,
  retryAfter: null,
})

/**
 * Reads on after the excerpt, within limits, so that the connection can be reused. Errors here do not change the
 * outcome.
 */
async function readExcerpt(body: AsyncIterable<Uint8Array> | null, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      if (bytes < EXCERPT_BYTES_MAX) chunks.push(chunk.subarray(0, EXCERPT_BYTES_MAX - bytes))
      bytes += chunk.length
      if (bytes > bytesMax) break
    }
  } catch {
    // Cut off, too slow or too long: the part received is enough.
  }
  return Buffer.concat(chunks).toString().replaceAll('\0', '\ufffd')
}

/** Error codes of the DNS resolver. */
const DNS_ERRORS = /^E(NOTFOUND|NODATA|SERVFAIL|REFUSED|BADNAME|NONAME|FORMERR|BADRESP)$/
const TLS_ERRORS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/

function toFailure(error: unknown): PostFailure {
  const cause = (error as { cause?: unknown }).cause ?? error
  if (cause instanceof TargetRefused) return 'address_not_allowed'
  const { name, code = '', syscall = '' } = cause as { name?: string; code?: string | number; syscall?: string }
  if (name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(String(code))) return 'timeout'
  if (syscall.startsWith('query') || DNS_ERRORS.test(String(code))) return 'name_not_found'
  return TLS_ERRORS.test(String(code)) ? 'tls' : 'no_connection'
}
