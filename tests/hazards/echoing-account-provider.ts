import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Ways to fail, each putting everything it was told into what it says. */
const METHODS: ((told: string, response: ServerResponse) => void)[] = [
  (told, response) => response.writeHead(500).end(told),
  (told, response) => response.writeHead(302, { location: `/?told=${encodeURIComponent(told)}` }).end(),
  (told, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"told":${told}}`),
  (told, response) => response.writeHead(200).end(`not JSON: ${told}`),
  (told, response) => response.writeHead(422, { 'x-told': encodeURIComponent(told) }).end(told),
  (_told, response) => response.destroy(),
]

export type EchoingAccountProvider = Awaited<ReturnType<typeof startEchoingAccountProvider>>

/** An account provider without discretion: each account meets another failure, with its holder's data in it. */
export async function startEchoingAccountProvider() {
  const references: string[] = []
  const server = createServer((request, response) => {
    let told = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (told += text))
    request.on('end', () => {
      const { reference } = JSON.parse(told) as { reference: string }
      if (!references.includes(reference)) references.push(reference)
      METHODS[references.indexOf(reference) % METHODS.length]?.(told, response)
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
