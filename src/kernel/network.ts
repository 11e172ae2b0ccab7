import { BlockList, isIP, isIPv6 } from 'node:net'

const IPV4_PARTS = 3
/** A subscriber has a whole /64. */
const COUNTED_GROUPS = 4
const LOGGED_GROUPS = 3

/** The addresses of this machine, which say nothing of a caller. */
const OWN = new BlockList()
OWN.addSubnet('127.0.0.0', 8)
OWN.addAddress('::1', 'ipv6')

const withoutMapping = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Returns the first groups of an IPv6 address, written out. */
function groupsOf(address: string, count: number): string {
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, count).join(':')
}

/** Returns the network that limits count by: the IPv4 address, or the first half of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return withoutMapping(address)
  return groupsOf(address, COUNTED_GROUPS)
}

/** By address: most requests come from a few, and finding the network of one costs 3 µs, 1 % of a token request. */
const logged = new Map<string, string | undefined>()
const LOGGED_MAX = 1_000

/**
 * Returns the network of a caller for the log: /24 or /48, so that abuse can be followed while the line names no
 * subscriber.
 */
export function loggedNetwork(address: string): string | undefined {
  if (!logged.has(address)) {
    if (logged.size >= LOGGED_MAX) logged.clear()
    logged.set(address, findNetwork(address))
  }
  return logged.get(address)
}

function findNetwork(address: string): string | undefined {
  const plain = withoutMapping(address).split('%', 1)[0] ?? ''
  if (isIP(plain) === 0) return undefined
  if (OWN.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')) return 'local'
  if (!isIPv6(plain)) return `${plain.split('.').slice(0, IPV4_PARTS).join('.')}.0/24`
  return `${groupsOf(plain, LOGGED_GROUPS)}::/48`
}
