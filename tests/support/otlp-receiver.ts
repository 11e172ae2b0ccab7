import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A span as a collector gets it. `parentId` is empty at the root. */
export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentId: string
  name: string
  kind: number
  attributes: Record<string, string | number>
  hasFailed: boolean
  /** The attributes of the process that sent it. */
  resource: Record<string, string | number>
}

type Field = { bytes: Buffer; value: bigint }
type Message = Map<number, Field[]>

const EMPTY = Buffer.alloc(0)

/** Parses a Protocol Buffers message: its fields by number. */
function parseMessage(bytes: Buffer): Message {
  const fields: Message = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? assert.fail('the message is cut off')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => bytes.subarray(at, (at += length))
  while (at < bytes.length) {
    const key = Number(varint())
    const wire = key & 7
    const field: Field = { bytes: EMPTY, value: 0n }
    if (wire === 0) field.value = varint()
    else field.bytes = take(wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4)
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), field])
  }
  return fields
}

const messages = (message: Message, number: number) =>
  (message.get(number) ?? []).map(({ bytes }) => parseMessage(bytes))
const bytesOf = (message: Message, number: number) => message.get(number)?.[0]?.bytes ?? EMPTY
const numberOf = (message: Message, number: number) => Number(message.get(number)?.[0]?.value ?? 0n)

/** The attributes in a field: strings and integers are all that this program sends. */
const attributesIn = (message: Message, number: number): ReceivedSpan['attributes'] =>
  Object.fromEntries(
    messages(message, number).map((pair) => {
      const [value = new Map() as Message] = messages(pair, 2)
      const text = value.has(1) ? bytesOf(value, 1).toString() : numberOf(value, 3)
      return [bytesOf(pair, 1).toString(), text]
    }),
  )

/** Parses an `ExportTraceServiceRequest` of OpenTelemetry. */
function spansIn(body: Buffer): ReceivedSpan[] {
  return messages(parseMessage(body), 1).flatMap((ofProcess) => {
    const [sender = new Map() as Message] = messages(ofProcess, 1)
    const resource = attributesIn(sender, 1)
    return messages(ofProcess, 2).flatMap((ofScope) =>
      messages(ofScope, 2).map((span) => ({
        traceId: bytesOf(span, 1).toString('hex'),
        spanId: bytesOf(span, 2).toString('hex'),
        parentId: bytesOf(span, 4).toString('hex'),
        name: bytesOf(span, 5).toString(),
        kind: numberOf(span, 6),
        attributes: attributesIn(span, 9),
        hasFailed: messages(span, 15).some((status) => numberOf(status, 3) === 2),
        resource,
      })),
    )
  })
}

/** Opens a collector: it accepts spans by OTLP over HTTP, as protobuf. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      assert.equal(request.headers['content-type'], 'application/x-protobuf')
      assert.equal(request.url, '/v1/traces')
      bodies.push(body)
      spans.push(...spansIn(body))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Everything received, as text to be searched. */
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: () => server.close().closeAllConnections(),
  }
}
