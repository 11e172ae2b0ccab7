import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Address } from '../kernel/network.ts'

const BITS = { ipv4: 32, ipv6: 128 }

type Family = keyof typeof BITS
type Network = { address: string; prefix: number; family: Family }

/** Parses a network, such as `203.0.113.0/24` or `2001:db8::/32`, or a single address. */
function parseNetwork(text: string): Network | undefined {
  const [, address = '', length] = /^([\d.:a-f]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  if (isIP(address) === 0) return undefined
  const family = addressFamily(address)
  const prefix = length === undefined ? BITS[family] : Number(length)
  return prefix > BITS[family] ? undefined : { address, prefix, family }
}

const addressFamily = (address: string): Family => (isIPv4(address) ? 'ipv4' : 'ipv6')

export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined

const blockLists = new WeakMap<readonly string[], BlockList>() // a token's list is checked at each of its requests

function toBlockList(networks: readonly string[]): BlockList {
  let list = blockLists.get(networks)
  if (list) return list
  blockLists.set(networks, (list = new BlockList()))
  for (const network of networks.map(parseNetwork)) {
    if (network) list.addSubnet(network.address, network.prefix, network.family)
  }
  return list
}

/** Whether the address is in one of the networks; what is no address is in none. */
export const allows = (networks: readonly string[], { ip }: Address): boolean =>
  ip !== undefined && toBlockList(networks).check(ip, addressFamily(ip))
