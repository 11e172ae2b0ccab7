import { BlockList, isIP, isIPv4 } from 'node:net'

const BITS = { ipv4: 32, ipv6: 128 }

type Family = keyof typeof BITS
type Network = { address: string; prefix: number; family: Family }

/** Returns the network that a text names, as `203.0.113.0/24` or `2001:db8::/32`, a single address too; undefined when it names none. */
function networkIn(text: string): Network | undefined {
  const [, address = '', length] = /^([\d.:a-f]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  if (isIP(address) === 0) return undefined
  const family = familyOf(address)
  const prefix = length === undefined ? BITS[family] : Number(length)
  return prefix > BITS[family] ? undefined : { address, prefix, family }
}

const familyOf = (address: string): Family => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** True for what can stand in a list. */
export const isNetwork = (text: string): boolean => networkIn(text) !== undefined

const known = new WeakMap<readonly string[], BlockList>() // a token's list is asked about at each of its requests

function listOf(networks: readonly string[]): BlockList {
  let list = known.get(networks)
  if (list) return list
  known.set(networks, (list = new BlockList()))
  for (const network of networks.map(networkIn)) {
    if (network) list.addSubnet(network.address, network.prefix, network.family)
  }
  return list
}

/** True when the address is in one of the networks. One of IPv4 that comes as IPv6 (`::ffff:…`) is the same address. */
export function allows(networks: readonly string[], address: string): boolean {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')
  return isIP(plain) !== 0 && listOf(networks).check(plain, familyOf(plain))
}
