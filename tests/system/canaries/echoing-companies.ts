import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Method = (received: string, response: ServerResponse) => unknown

/** The ways of a company to fail, each echoing everything that it received. */
const FAILURES: Method[] = [
  (received, response) => response.writeHead(500).end(received),
  (received, response) => response.writeHead(302, { location: `/?echo=${encodeURIComponent(received)}` }).end(),
  (received, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify({ echo: received })),
  (received, response) => response.writeHead(200).end(`not JSON: ${received}`),
  (received, response) => response.writeHead(422, { 'x-echo': encodeURIComponent(received) }).end(received),
  (received, response) => response.writeHead(429, { 'retry-after': encodeURIComponent(received) }).end(received),
  (_received, response) => response.destroy(),
  (_received, _response) => undefined, // never responds
]

const JSON_TYPE = { 'content-type': 'application/json' }

type Company = 'bank' | 'operator' | 'sms'

/** What a company says when all is well. */
const SUCCESSES: Record<Company, (about: string) => object> = {
  bank: (about) => ({ external_account_id: `EXT-${about.slice(-8)}`, ifsc_code: 'BNYN0000001' }),
  operator: (reference) => ({ reference, status: 'ACTIVE', sequence: 1 }),
  sms: () => ({ sid: 'SM1' }),
}

export type EchoingCompanies = Awaited<ReturnType<typeof startEchoingCompanies>>

/**
 * The bank, the wallet operator and the SMS gateway, without discretion: the first person is served well, each other one meets another
 * failure, with their own data in it.
 */
export async function startEchoingCompanies() {
  const asked: Record<Company, string[]> = { bank: [], operator: [], sms: [] }
  const codes = new Map<string, string>()
  const server = createServer((request, response) => {
    let received = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (received += text))
    request.on('end', () => {
      const company = (request.url ?? '').split('/')[1] as Company
      const about = aboutIn(company, received) || (request.url ?? '').split('/').at(-1) || ''
      if (company === 'sms') codes.set(about, new URLSearchParams(received).get('Body')?.slice(0, 6) ?? '')
      if (!asked[company].includes(about)) asked[company].push(about)
      const index = asked[company].indexOf(about)
      if (index === 0 && request.method === 'GET') response.writeHead(404).end()
      else if (index === 0) response.writeHead(201, JSON_TYPE).end(JSON.stringify(SUCCESSES[company](about)))
      else FAILURES[(index - 1) % FAILURES.length]?.(received, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    urlOf: (company: Company) => `${url}/${company}`,
    /** Success, and every way to fail. */
    ways: FAILURES.length + 1,
    /** How many accounts, wallets and phones a company was asked for. */
    asked: (company: Company) => asked[company].length,
    /** The code that a phone was sent last; a company that fails knows it too. */
    codeOf: (phone: string) => codes.get(phone),
    stop: () => server.close().closeAllConnections(),
  }
}

function aboutIn(company: Company, received: string): string | null {
  if (received === '') return null
  if (company === 'sms') return new URLSearchParams(received).get('To')
  return (JSON.parse(received) as { reference: string }).reference
}
