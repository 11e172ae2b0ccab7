import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Ways to fail, each echoing everything it received. */
const METHODS: ((reported: string, response: ServerResponse) => void)[] = [
  (reported, response) => response.writeHead(500).end(reported),
  (reported, response) => response.writeHead(302, { location: `/?told=${encodeURIComponent(reported)}` }).end(),
  (reported, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"told":${reported}}`),
  (reported, response) => response.writeHead(200).end(`not JSON: ${reported}`),
  (reported, response) => response.writeHead(422, { 'x-told': encodeURIComponent(reported) }).end(reported),
  (_told, response) => response.destroy(),
]

export type EchoingAccountProvider = Awaited<ReturnType<typeof startEchoingAccountProvider>>

/** An account provider without discretion: each account meets another failure, with its holder's data in it. */
export async function startEchoingAccountProvider() {
  const references: string[] = []
  const server = createServer((request, response) => {
    let reported = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (reported += text))
    request.on('end', () => {
      const { reference } = JSON.parse(reported) as { reference: string }
      if (!references.includes(reference)) references.push(reference)
      METHODS[references.indexOf(reference) % METHODS.length]?.(reported, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ways: METHODS.length,
    /** How many accounts it was asked for. */
    asked: () => references.length,
    stop: () => server.close().closeAllConnections(),
  }
}
