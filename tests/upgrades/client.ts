import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from '../support/app.ts'

const REQUEST_MS_MAX = 30_000
const WAIT_MS_MAX = 60_000
const POLL_MS = 200

export type Sending = { token?: string | undefined; headers?: Record<string, string>; body?: object | Buffer }
export type ClientResponse = { status: number; body: Body; bytes: Buffer; headers: Headers }

/** Sends requests to a program over HTTP. */
export type Client = {
  send(method: string, path: string, sending?: Sending): Promise<ClientResponse>
  /** As `send`, for a request that must succeed; returns the body. */
  made(method: string, path: string, sending?: Sending): Promise<Body>
  /** Repeats a read until it satisfies. */
  until(path: string, token: string | undefined, isSo: (body: Body) => boolean): Promise<Body>
}

export function clientOf(origin: string): Client {
  async function sendOnce(method: string, path: string, { token, headers = {}, body }: Sending = {}) {
    const response = await fetch(`${origin}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': Buffer.isBuffer(body) ? 'application/pdf' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && bytes.length > 0
    return {
      status: response.status,
      body: isJson ? JSON.parse(bytes.toString()) : undefined,
      bytes,
      headers: response.headers,
    }
  }

  /** A busy machine refuses requests for a while. */
  async function send(method: string, path: string, sending?: Sending): Promise<ClientResponse> {
    const deadline = performance.now() + WAIT_MS_MAX
    for (;;) {
      const response = await sendOnce(method, path, sending)
      if (response.status !== 503 || performance.now() > deadline) return response
      await sleep(POLL_MS)
    }
  }

  async function made(method: string, path: string, sending?: Sending): Promise<Body> {
    const { status, body, bytes } = await send(method, path, sending)
    assert(status < 300, `${method} ${path} returned ${status}: ${bytes.toString()}`)
    return body
  }

  async function until(path: string, token: string | undefined, isSo: (body: Body) => boolean): Promise<Body> {
    const deadline = performance.now() + WAIT_MS_MAX
    for (;;) {
      const body = await made('GET', path, { token })
      if (isSo(body)) return body
      assert(performance.now() < deadline, `${path} stays ${JSON.stringify(body)}`)
      await sleep(POLL_MS)
    }
  }

  return { send, made, until }
}
