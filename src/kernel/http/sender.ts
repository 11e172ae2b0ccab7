import type { IncomingMessage } from 'node:http'
import { type Address, parseAddress } from '../network.ts'

/** Where a request comes from, and how its caller reached the service. */
export type Sender = Readonly<{
  address: Address
  scheme: 'http' | 'https'
  /** As the caller wrote it, with its port; pages check it before they show it. */
  host: string
}>

/** The headers of proxies. */
const FOR = 'x-forwarded-for'
const PROTO = 'x-forwarded-proto'
const HOST = 'x-forwarded-host'

/**
 * Reads who sends a request: from its connection, or from what trusted proxies have added. Nothing else reads these
 * headers. The number of proxies is counted from the end of the list, because the caller writes its beginning.
 */
export function readSender({ headers, socket }: IncomingMessage, trustedProxies: number): Sender {
  const forwarded = (name: string) => (trustedProxies === 0 ? undefined : headers[name]?.toString())
  const address = parseAddress(entryFromEnd(forwarded(FOR) ?? '', trustedProxies) ?? socket.remoteAddress)
  const scheme = lastEntry(forwarded(PROTO))?.toLowerCase()
  return {
    address,
    scheme: scheme === 'https' || scheme === 'http' ? scheme : 'encrypted' in socket ? 'https' : 'http',
    host: lastEntry(forwarded(HOST)) ?? headers.host ?? '',
  }
}

const lastEntry = (list: string | undefined) => entryFromEnd(list ?? '', 1)

/** Returns the entry at this place from the end, the first one of a shorter list; undefined when there is none. */
function entryFromEnd(list: string, place: number): string | undefined {
  let entry: string | undefined
  for (let end = list.length, found = 0; end > 0 && found < place; ) {
    const comma = list.lastIndexOf(',', end - 1)
    const text = list.slice(comma + 1, end).trim()
    if (text !== '') [entry, found] = [text, found + 1]
    end = comma
  }
  return entry
}
