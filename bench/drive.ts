import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Request } from './ask.ts'
import { quantile } from './report.ts'

export const CONNECTIONS = 64
/** A connection without any data for this long fails the round. */
const TIMEOUT_MS = 10_000
const HEAD_END = '\r\n\r\n'
const STATUS_AT = 9
const STATUS_LENGTH = 3

/** A request, its expected status, and a callback for the response text. */
export type PlannedRequest = { request: Request; status: number; onResponse?: (text: string) => void }
/** Returns the next request of a connection after its last response; undefined when there is none left. */
export type Source = (connection: number) => PlannedRequest | undefined

/** Repeats the same requests in random order, each connection its own share. */
export function repeating(requests: Request[], status = 200): Source {
  const shuffled = requests
    .map((request) => ({ request, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ request }) => ({ request, status }))
  const share = Math.floor(shuffled.length / CONNECTIONS)
  const sent = Array.from({ length: CONNECTIONS }, () => 0)
  return (connection) => {
    const turn = sent[connection] as number
    sent[connection] = turn + 1
    return shuffled[connection * share + (turn % share)]
  }
}

/** `isDry`: a connection ran out of requests before the time was up. */
export type Round = {
  responses: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  isDry: boolean
}

type DriveOptions = {
  /** Without it, the round ends when no request is left. */
  seconds?: number
  /** The local address of a connection. */
  localAddress?: (connection: number) => string
}

/**
 * Runs one round over 64 connections, each with one request at a time. Bare sockets: autocannon took 79 to 134 µs of
 * CPU per request where this takes 46 to 63, and some responses cost the product no more. Waits for open requests at
 * the end, so that every request is counted. A single response with an unexpected status fails the round.
 */
export async function drive(url: string, source: Source, { seconds, localAddress }: DriveOptions = {}): Promise<Round> {
  const { hostname: host, port } = new URL(url)
  const sockets = Array.from({ length: CONNECTIONS }, (_, connection) => {
    const from = localAddress && { localAddress: localAddress(connection) }
    return connect({ host, port: Number(port), noDelay: true, ...from })
  })
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    return await driveOver(sockets, source, { host: `${host}:${port}`, seconds })
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function driveOver(
  sockets: Socket[],
  source: Source,
  { host, seconds = Number.POSITIVE_INFINITY }: { host: string; seconds?: number | undefined },
): Promise<Round> {
  const took: number[] = []
  const wrong: string[] = []
  let isDry = false
  const from = performance.now()
  const end = from + seconds * 1_000

  const exchanges = sockets.map((socket, connection) =>
    exchangeAll(socket, () => {
      const sent = performance.now()
      if (sent >= end || wrong.length > 0) return undefined
      const planned = source(connection)
      if (!planned) {
        isDry = true
        return undefined
      }
      const { request, status, onResponse } = planned
      return {
        text: requestText(request, host),
        onResponse(response) {
          took.push(performance.now() - sent)
          if (response.status === status) onResponse?.(response.text())
          else
            wrong.push(
              `${request.method} ${request.path} returned ${response.status}, not ${status}: ${response.text()}`,
            )
        },
      }
    }),
  )
  await Promise.all(exchanges)
  if (wrong.length > 0)
    throw new Error(`${wrong.length} of ${took.length} responses were wrong; the first: ${wrong[0]}`)
  const lasted = (performance.now() - from) / 1_000
  const times = { p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) }
  return { responses: took.length, seconds: lasted, perSecond: took.length / lasted, ...times, isDry }
}

/** Formats a request as it is sent. */
export function requestText({ method, path, headers, body = '' }: Request, host: string): string {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  if (body !== '') head += `content-length: ${Buffer.byteLength(body)}\r\n`
  return `${head}\r\n${body}`
}

type Exchange = { text: string; onResponse(response: ParsedResponse): void }
type ParsedResponse = { status: number; text(): string; end: number }

/** Sends requests one at a time, each after the previous response, until there is no next. */
function exchangeAll(socket: Socket, next: () => Exchange | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let current: Exchange | undefined
    let received: Buffer | undefined
    const send = () => {
      current = next()
      if (current) socket.write(current.text)
      else resolve()
    }
    const receive = (part: Buffer) => {
      received = received ? Buffer.concat([received, part]) : part
      const response = parseResponse(received)
      if (!response) return
      if (!current || response.end !== received.length) throw new Error('the response is longer than announced')
      received = undefined
      current.onResponse(response)
      send()
    }
    socket.on('data', (part) => {
      try {
        receive(part)
      } catch (error) {
        reject(error)
      }
    })
    const fail = (why: string) => reject(new Error(`${why} while this was under way: ${current?.text ?? 'nothing'}`))
    socket.once('error', ({ message }) => fail(message)).once('close', () => fail('the connection was closed'))
    socket.setTimeout(TIMEOUT_MS, () => fail(`nothing came for ${TIMEOUT_MS} ms`))
    send()
  })
}

/** Parses the response at the start of these bytes; undefined while it is incomplete. */
export function parseResponse(bytes: Buffer): ParsedResponse | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`only responses with a content-length can be read here:\n${head}`)
  const from = headEnd + HEAD_END.length
  const end = from + Number(length)
  if (bytes.length < end) return undefined
  return {
    status: Number(head.slice(STATUS_AT, STATUS_AT + STATUS_LENGTH)),
    text: () => bytes.toString('utf8', from, end),
    end,
  }
}
