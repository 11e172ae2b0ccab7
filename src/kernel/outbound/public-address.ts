import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const RESOLVE_TIMEOUT_MS = 2_000
const RESOLVE_TRIES = 2

/** The IPv6 addresses allocated for the internet; all others have a special purpose (RFC 4291, 2.4). */
const IPV6_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** The allowed targets of URLs registered by partners. The last two members are for tests. */
export type TargetRule = {
  ports: readonly number[]
  /** In development: allows this machine too, over http and on any port. */
  allowsLoopback: boolean
  resolve?: (name: string) => Promise<string[]>
  isPublic?: (address: string) => boolean
}

/** Thrown for an address, or a name that resolves to one, where calls are not allowed. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused'
}

export type Targets = ReturnType<typeof createTargets>

/**
 * Restricts calls to URLs registered by partners to the internet, so that partners cannot reach this machine's private
 * networks. A URL is checked when it is registered, and again at every connection: the name is resolved once, every
 * returned address is checked, and the connection is made to exactly these, so that a name which resolves differently
 * the next time gains nothing.
 */
export function createTargets({
  ports,
  allowsLoopback,
  resolve = resolveName,
  isPublic = isPublicAddress,
}: TargetRule) {
  const mayReach = (host: string, address: string) =>
    allowsLoopback && isLoopbackHost(host) ? isLoopbackAddress(address) : isPublic(address)

  /** Returns the addresses of a host. Throws `TargetRefused` when one of them must not be reached. */
  async function checkedAddresses(host: string): Promise<string[]> {
    const addresses = isIP(host) ? [host] : await resolve(host)
    if (addresses.length === 0 || !addresses.every((address) => mayReach(host, address))) throw new TargetRefused()
    return addresses
  }

  /** Returns what is wrong with a URL as written; undefined when nothing is. */
  function findUrlError(text: string): string | undefined {
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
    findUrlError,

    /**
     * Returns what is wrong with a URL, resolving its name too. A name that cannot be resolved now is accepted, because
     * it may resolve by the time it is called.
     */
    async findError(text: string): Promise<string | undefined> {
      const error = findUrlError(text)
      if (error !== undefined) return error
      try {
        await checkedAddresses(bare(new URL(text).hostname))
        return undefined
      } catch (error) {
        return error instanceof TargetRefused ? NOT_PUBLIC : undefined
      }
    },

    mayReach,
    checkedAddresses,
  }
}

const NOT_PUBLIC = 'Must resolve to public addresses only, not to this machine or a private network.'

/**
 * Returns true for a public internet address: no private, shared, local or documentation range, and no embedded IPv4
 * address.
 */
export function isPublicAddress(text: string): boolean {
  if (!isIP(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return !(address instanceof ipaddr.IPv6) || address.match(IPV6_UNICAST)
}

const isLoopbackAddress = (text: string): boolean => isIP(text) !== 0 && ipaddr.parse(text).range() === 'loopback'

const isLoopbackHost = (host: string): boolean => LOCALHOST.test(host) || isLoopbackAddress(host)

/** By RFC 6761 names below `localhost` are never resolved by DNS. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/

/** Returns the host without the brackets of IPv6. */
export const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Not `dns.lookup`: it has four threads for everything, and a few unresponsive names would block all others. */
async function resolveName(name: string): Promise<string[]> {
  if (LOCALHOST.test(name)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (addresses.length === 0) throw (results[0] as PromiseRejectedResult).reason
  return addresses
}
