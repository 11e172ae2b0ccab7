import { BlockList, isIP, isIPv4 } from 'node:net'

/** An IP address, parsed: nothing else that a connection or a proxy says of it is compared, counted or logged. */
export type Address = Readonly<{
  /** One spelling of each address: IPv4, or the eight groups of an IPv6 one. Undefined when it is none. */
  ip: string | undefined
  /** What limits count by: the IPv4 address, or the first half of an IPv6 one. Whatever is no address counts as one. */
  network: string
  /** For the log: /24 or /48, so that abuse can be followed while the line names no subscriber. */
  logged: string
}>

const NO_ADDRESS: Address = { ip: undefined, network: 'unknown', logged: 'unknown' }

const IPV4_PARTS = 3
const IPV6_GROUPS = 8
/** A subscriber has a whole /64. */
const COUNTED_GROUPS = 4
const LOGGED_GROUPS = 3

/** The addresses of this machine, which say nothing of a caller. */
const OWN = new BlockList()
OWN.addSubnet('127.0.0.0', 8)
OWN.addAddress('::1', 'ipv6')

/** By text: most requests come from a few, and parsing takes 3 µs, 1 % of a token request. */
const parsed = new Map<string, Address>()
const PARSED_MAX = 1_000
/** The longest IPv6 address with brackets, port and zone has some 80 characters. */
const TEXT_LENGTH_MAX = 100

/**
 * Parses the address of a connection or of a header. Proxies add ports (`203.0.113.7:51234`, `[2001:db8::7]:51234`),
 * brackets, quotes and zones, and write an IPv4 address as an IPv6 one (`::ffff:203.0.113.7`).
 */
export function parseAddress(text: string | undefined): Address {
  if (text === undefined || text.length > TEXT_LENGTH_MAX) return NO_ADDRESS
  let address = parsed.get(text)
  if (address) return address
  if (parsed.size >= PARSED_MAX) parsed.clear()
  parsed.set(text, (address = toAddress(text)))
  return address
}

const PORT = String.raw`(?::\d{1,5})?`
const ZONE = String.raw`(?:%[\w.~%-]+)?`
/** In brackets, IPv4, and IPv6 without brackets, whose port would look like its last group. */
const FORMS = new RegExp(String.raw`^(?:\[([\d.:a-f]+)${ZONE}\]${PORT}|([\d.]+)${PORT}|([\d.:a-f]+)${ZONE})$`, 'i')

function toAddress(text: string): Address {
  const [, ...spellings] = FORMS.exec(text.trim().replace(/^"(.*)"$/, '$1')) ?? []
  const written = spellings.find((spelling) => spelling !== undefined) ?? ''
  if (isIP(written) === 0) return NO_ADDRESS
  const groups = isIPv4(written) ? undefined : splitGroups(written)
  const ip = groups ? (mappedIn(groups) ?? groups.join(':')) : written
  if (isIPv4(ip)) {
    const logged = OWN.check(ip) ? 'local' : `${ip.split('.').slice(0, IPV4_PARTS).join('.')}.0/24`
    return { ip, network: ip, logged }
  }
  const first = (count: number) => ip.split(':').slice(0, count).join(':')
  const logged = OWN.check(ip, 'ipv6') ? 'local' : `${first(LOGGED_GROUPS)}::/48`
  return { ip, network: first(COUNTED_GROUPS), logged }
}

/** Returns the groups of an IPv6 address: lower case, without leading zeros, none left out. */
function splitGroups(address: string): string[] {
  const [head = [], tail] = address.split('::').map((half) => (half === '' ? [] : half.split(':').flatMap(groupsIn)))
  return [...head, ...Array<string>(tail ? IPV6_GROUPS - head.length - tail.length : 0).fill('0'), ...(tail ?? [])]
}

/** Returns a group, or the two groups that are written as an IPv4 address. */
function groupsIn(part: string): string[] {
  if (!part.includes('.')) return [Number.parseInt(part, 16).toString(16)]
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16))
}

/** Returns the IPv4 address that an IPv6 one stands for. */
function mappedIn(groups: readonly string[]): string | undefined {
  if (!groups.join(':').startsWith('0:0:0:0:0:ffff:')) return undefined
  const bytes = groups.slice(-2).map((group) => Number.parseInt(group, 16))
  return bytes.flatMap((group) => [group >> 8, group & 255]).join('.')
}
