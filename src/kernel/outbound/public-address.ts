import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

const CONNECT_TIMEOUT_MS = 5_000
const HEADERS_TIMEOUT_MS = 10_000
const BODY_TIMEOUT_MS = 5_000
const RESOLVE_TIMEOUT_MS = 2_000
const RESOLVE_TRIES = 2
const KEPT_ALIVE_MS = 10_000
/** Nothing longer is read, whatever a response says of itself. */
export const RESPONSE_BYTES_MAX = 64 * 1024

/** Of what IPv6 has, what the registries give out for the internet; all else is special in some way (RFC 4291, 2.4). */
const IPV6_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Where calls may go to addresses that others have named. The last two are there for tests. */
export type TargetRule = {
  ports: readonly number[]
  /** In development: this machine too, by http and at any port. */
  allowsLoopback: boolean
  resolve?: (name: string) => Promise<string[]>
  isPublic?: (address: string) => boolean
}

/** Thrown when a name leads, or an address belongs, to where calls may not go. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

export type Targets = ReturnType<typeof openTargets>

/**
 * Keeps calls to addresses that others have named on the internet: a partner that names an address must not reach what only this
 * machine can. An address is looked at when it is registered, and again whenever a connection is made to it: the name is
 * resolved once, each address that comes back is checked, and it is these that are connected to, so that a name which answers
 * differently the next time gains nothing.
 */
export function openTargets({ ports, allowsLoopback, resolve = resolveName, isPublic = isPublicAddress }: TargetRule) {
  const mayReach = (host: string, address: string) =>
    allowsLoopback && isLoopbackHost(host) ? isLoopbackAddress(address) : isPublic(address)

  async function checkedAddresses(host: string): Promise<string[]> {
    const addresses = isIP(host) ? [host] : await resolve(host)
    if (addresses.length === 0 || !addresses.every((address) => mayReach(host, address))) throw new TargetRefused()
    return addresses
  }

  /** Returns what is wrong with an address as it is written; undefined when nothing is. */
  function errorOf(text: string): string | undefined {
    if (!URL.canParse(text)) return 'Must be a URL such as https://hooks.example.com/banyan.'
    const { protocol, hostname, port, username, password, hash } = new URL(text)
    const host = bare(hostname)
    if (username || password || hash) return 'Must not contain a user name, password or fragment.'
    if (allowsLoopback && isLoopbackHost(host) && /^https?:$/.test(protocol)) return undefined
    if (protocol !== 'https:') return 'Must start with https://.'
    if (!ports.includes(Number(port || 443))) return `The port must be one of: ${ports.join(', ')}.`
    return isLoopbackHost(host) || (isIP(host) && !mayReach(host, host)) ? NOT_PUBLIC : undefined
  }

  return {
    errorOf,

    /** The same, after its name was resolved too. One that cannot be resolved just now can be by the time it is called. */
    async findError(text: string): Promise<string | undefined> {
      const error = errorOf(text)
      if (error !== undefined) return error
      try {
        await checkedAddresses(bare(new URL(text).hostname))
        return undefined
      } catch (error) {
        return error instanceof TargetRefused ? NOT_PUBLIC : undefined
      }
    },

    /** Opens what connects to checked addresses alone. */
    openAgent(): Agent {
      const lookup: LookupFunction = (host, { all }, done) => {
        checkedAddresses(host).then(
          (addresses) => {
            const found = addresses.map((address) => ({ address, family: isIP(address) }))
            if (all) done(null, found)
            else done(null, found[0]?.address ?? '', found[0]?.family)
          },
          (error: NodeJS.ErrnoException) => done(error, ''),
        )
      }
      const connect = buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false })
      return new Agent({
        // An address that is written out is never looked up.
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
    },
  }
}

const NOT_PUBLIC = 'Must resolve to public addresses only, not to this machine or a private network.'

/** True for what is on the internet: no private, shared, local or documentation range, and nothing that stands for an IPv4 address. */
export function isPublicAddress(text: string): boolean {
  if (!isIP(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return !(address instanceof ipaddr.IPv6) || address.match(IPV6_UNICAST)
}

const isLoopbackAddress = (text: string): boolean => isIP(text) !== 0 && ipaddr.parse(text).range() === 'loopback'

const isLoopbackHost = (host: string): boolean => LOCALHOST.test(host) || isLoopbackAddress(host)

/** By RFC 6761 no name below `localhost` is asked for anywhere. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/

/** The host of an address without the brackets of IPv6. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Not `dns.lookup`: it has four threads for all, and a few names that do not answer would hold up all others. */
async function resolveName(name: string): Promise<string[]> {
  if (LOCALHOST.test(name)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0) throw (answers[0] as PromiseRejectedResult).reason
  return addresses
}
