import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Request } from './ask.ts'
import { quantile } from './report.ts'

export const CONNECTIONS = 64
/** A connection on which nothing comes for this long fails the round. */
const TIMEOUT_MS = 10_000
const HEAD_END = '\r\n\r\n'
const STATUS_AT = 9
const STATUS_LENGTH = 3

/** A request, the status its response must have, and who wants to see the response. */
export type Sending = { request: Request; status: number; answered?: (text: string) => void }
/** What a connection sends next, once its last request is answered; undefined when there is nothing left for it. */
export type Source = (connection: number) => Sending | undefined

/** The same requests again and again, each connection its own share of them, in an order without pattern. */
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

/** `isDry`: a connection had nothing left to send before the time was up. */
export type Round = {
  responses: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  isDry: boolean
}

type Driving = {
  /** Without it the round ends when there is nothing left to send. */
  seconds?: number
  /** The network address from which a connection comes. */
  localAddress?: (connection: number) => string
}

/**
 * One round over 64 connections, each with one request under way. Bare sockets: autocannon took 79 to 134 µs of the
 * processor a request where this takes 46 to 63, and some answers cost the product no more. What is under way at the end
 * is waited for, so every request is counted. One answer with another status than its request asks for fails the round.
 */
export async function drive(url: string, source: Source, { seconds, localAddress }: Driving = {}): Promise<Round> {
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

  const conversations = sockets.map((socket, connection) =>
    converse(socket, () => {
      const sent = performance.now()
      if (sent >= end || wrong.length > 0) return undefined
      const sending = source(connection)
      if (!sending) {
        isDry = true
        return undefined
      }
      const { request, status, answered } = sending
      return {
        text: textOf(request, host),
        answered(response) {
          took.push(performance.now() - sent)
          if (response.status === status) answered?.(response.text())
          else
            wrong.push(
              `${request.method} ${request.path} answered ${response.status}, not ${status}: ${response.text()}`,
            )
        },
      }
    }),
  )
  await Promise.all(conversations)
  if (wrong.length > 0) throw new Error(`${wrong.length} of ${took.length} answers were wrong; the first: ${wrong[0]}`)
  const lasted = (performance.now() - from) / 1_000
  const times = { p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) }
  return { responses: took.length, seconds: lasted, perSecond: took.length / lasted, ...times, isDry }
}

function textOf({ method, path, headers, body = '' }: Request, host: string): string {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  if (body !== '') head += `content-length: ${Buffer.byteLength(body)}\r\n`
  return `${head}\r\n${body}`
}

type Exchange = { text: string; answered(response: Answer): void }
type Answer = { status: number; text(): string; end: number }

/** Sends one request after the other, each when the one before is answered, until there is no next. */
function converse(socket: Socket, next: () => Exchange | undefined): Promise<void> {
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
      const response = answerIn(received)
      if (!response) return
      if (!current || response.end !== received.length) throw new Error('more was answered than asked for')
      received = undefined
      current.answered(response)
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

/** The response at the beginning of these bytes; undefined while some of it is missing. */
function answerIn(bytes: Buffer): Answer | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`only answers with a content-length can be read here:\n${head}`)
  const from = headEnd + HEAD_END.length
  const end = from + Number(length)
  if (bytes.length < end) return undefined
  return {
    status: Number(head.slice(STATUS_AT, STATUS_AT + STATUS_LENGTH)),
    text: () => bytes.toString('utf8', from, end),
    end,
  }
}
