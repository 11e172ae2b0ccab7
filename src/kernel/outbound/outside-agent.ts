import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { bare, TargetRefused, type Targets } from './public-address.ts'

export { fetch } from 'undici'

const CONNECT_TIMEOUT_MS = 5_000
const HEADERS_TIMEOUT_MS = 10_000
const BODY_TIMEOUT_MS = 5_000
const KEPT_ALIVE_MS = 10_000
/** The limit for response bodies, whatever their declared length. */
export const RESPONSE_BYTES_MAX = 64 * 1024

/** Creates an agent that connects to checked addresses only. Apart from the check itself, which the API needs without undici. */
export function createOutsideAgent({ checkedAddresses, mayReach }: Targets): Agent {
  const lookup: LookupFunction = (host, { all }, done) => {
    checkedAddresses(host).then(
      (addresses) => {
        const resolved = addresses.map((address) => ({ address, family: isIP(address) }))
        if (all) done(null, resolved)
        else done(null, resolved[0]?.address ?? '', resolved[0]?.family)
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
  const connect = buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false })
  return new Agent({
    // IP literals are never looked up.
    connect: (options, done) => {
      const host = bare(options.hostname)
      if (isIP(host) && !mayReach(host, host)) done(new TargetRefused(), null)
      else connect(options, done)
    },
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: BODY_TIMEOUT_MS,
    keepAliveTimeout: KEPT_ALIVE_MS,
    maxResponseSize: RESPONSE_BYTES_MAX,
  })
}
