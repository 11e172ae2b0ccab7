import { traceHeaders } from '../tracing.ts'
import { IndefiniteResponse, measuredCall } from './measured-call.ts'
import { readBounded } from './read-bounded.ts'

/** The response of an external company, read within limits. `body` is undefined when it was not JSON. */
type OutboundResponse = { status: number; body: unknown }

type OutboundCall = {
  /** Name of the company in metrics and traces. */
  company: string
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON, or form-encoded when it is URLSearchParams. */
  body?: unknown
  timeout_ms: number
  /** The path is the same in every call, so a 404 means that the base URL is wrong. */
  isFixed?: boolean
  /**
   * Throws `IndefiniteResponse` unless a 2xx is what was agreed with the company. Where it is given, redirects, 401 and
   * 403 throw that too.
   */
  check?: (response: OutboundResponse) => void
}

const RESPONSE_BYTES_MAX = 64 * 1024

/**
 * Calls an external company with a timeout and a limit on the response size; does not follow redirects. Throws when
 * there is no response.
 */
export const callJson = ({ company, isFixed, check, ...call }: OutboundCall): Promise<OutboundResponse> =>
  measuredCall({ company, method: call.method, isFixed }, async () => {
    const response = await send(call)
    const { status } = response
    if (check && status >= 200 && status < 300) check(response)
    if (check && ((status >= 300 && status < 400) || status === 401 || status === 403))
      throw new IndefiniteResponse(`the ${company.replaceAll('_', ' ')} responded ${status}`)
    return response
  })

type Call = Omit<OutboundCall, 'company' | 'isFixed' | 'check'>

async function send({ method, url, headers = {}, body, timeout_ms }: Call): Promise<OutboundResponse> {
  const isFormEncoded = body instanceof URLSearchParams
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/json',
      ...traceHeaders(),
      ...(body !== undefined && !isFormEncoded && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isFormEncoded ? body : JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
  })
  return { status: response.status, body: parse(await readBounded(response, RESPONSE_BYTES_MAX)) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
