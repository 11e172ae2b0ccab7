import { Agent, request, type RequestOptions } from 'node:https'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from '../support/app.ts'

const RESPONSE_MS_MAX = 60_000
/** Between two requests of a caller, so that the processes that start meanwhile get the processors too. */
const PAUSE_MS = 50
const HOST = 'api.example.org'

type Sending = { token?: string; headers?: Record<string, string>; body?: object | Buffer; agent?: Agent | false }
export type Received = { status: number; body: Body; headers: Record<string, unknown> }

/** Calls the public address through a balancer, whose certificate is checked. */
export function callerOf(port: number, certificate: string) {
  const ca = readFileSync(certificate)
  const tls = { ca, servername: HOST }
  const call = (method: string, path: string, { token, headers, body, agent = false }: Sending = {}) => {
    const isBytes = body instanceof Buffer
    const options: RequestOptions = {
      host: '127.0.0.1',
      port,
      path,
      method,
      agent,
      ...tls,
      timeout: RESPONSE_MS_MAX,
      headers: {
        host: HOST,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': isBytes ? 'application/pdf' : 'application/json' }),
        ...headers,
      },
    }
    return new Promise<Received>((resolve, reject) => {
      const sent = request(options, (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString())).once('error', reject)
        response.once('end', () => {
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, body: isJson ? JSON.parse(text) : text })
        })
      })
      sent.once('error', reject).once('timeout', () => sent.destroy(new Error('no response in time')))
      sent.end(isBytes ? body : body && JSON.stringify(body))
    })
  }
  return { call, keptAlive: () => new Agent({ keepAlive: true, maxSockets: 1, ...tls }) }
}

/** Sends requests one after another until it is stopped; `stop` returns those without a 2xx. */
export function startCaller(ask: () => Promise<Received>) {
  const failures: string[] = []
  let succeeded = 0
  const over = new AbortController()
  const done = (async () => {
    while (!over.signal.aborted) {
      const received = await ask().catch((error: Error) => error)
      if (received instanceof Error) failures.push(received.message)
      else if (received.status >= 200 && received.status < 300) succeeded++
      else failures.push(`${received.status} ${JSON.stringify(received.body)}`)
      await sleep(PAUSE_MS)
    }
  })()
  return {
    succeeded: () => succeeded,
    async stop(): Promise<string[]> {
      over.abort()
      await done
      return failures
    },
  }
}
