/** The answer of a company outside, read within bounds. `body` is undefined when it was not JSON. */
export type OutboundAnswer = { status: number; body: unknown }

type OutboundCall = { url: string; headers?: Record<string, string>; body: unknown; timeout_ms: number }

const ANSWER_BYTES_MAX = 64 * 1024

/** POSTs JSON with a time-out and a byte limit on the answer; redirects are not followed. Throws when no answer came. */
export async function postJson({ url, headers = {}, body, timeout_ms }: OutboundCall): Promise<OutboundAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
  })
  const text = await readBounded(response)
  return { status: response.status, body: parse(text) }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is larger than it may be')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
