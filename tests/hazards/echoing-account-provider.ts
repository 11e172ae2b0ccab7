import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Ways to fail, each echoing everything it received. */
const METHODS: ((received: string, response: ServerResponse) => void)[] = [
  (received, response) => response.writeHead(500).end(received),
  (received, response) => response.writeHead(302, { location: `/?echo=${encodeURIComponent(received)}` }).end(),
  (received, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`{"echo":${received}}`),
  (received, response) => response.writeHead(200).end(`not JSON: ${received}`),
  (received, response) => response.writeHead(422, { 'x-echo': encodeURIComponent(received) }).end(received),
  (_received, response) => response.destroy(),
]

export type EchoingAccountProvider = Awaited<ReturnType<typeof startEchoingAccountProvider>>

/** An account provider that echoes: each account gets another error, with its holder's data in it. */
export async function startEchoingAccountProvider() {
  const references: string[] = []
  const server = createServer((request, response) => {
    let received = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (received += text))
    request.on('end', () => {
      const { reference } = JSON.parse(received) as { reference: string }
      if (!references.includes(reference)) references.push(reference)
      METHODS[references.indexOf(reference) % METHODS.length]?.(received, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ways: METHODS.length,
    /** The number of accounts requested from it. */
    asked: () => references.length,
    stop: () => server.close().closeAllConnections(),
  }
}
