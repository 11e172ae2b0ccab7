import type { InjectedApp } from './inject.ts'
import type { createContractCheck } from './contract.ts'

// biome-ignore lint: a test reads what it asked for, and the contract check has looked at it already
export type Body = any // oxlint-disable-line typescript/no-explicit-any

/** `body` is set when the response is JSON, `bytes` always. */
export type TestResponse = {
  status: number
  body: Body
  headers: Record<string, string | undefined>
  text: string
  bytes: Buffer
}

export type Call = {
  token?: string
  adminKey?: string
  body?: unknown
  headers?: Record<string, string>
  /** The caller's IP address. */
  remoteAddress?: string
}

export type CallFunction = (method: string, url: string, call?: Call) => Promise<TestResponse>

/** Sends a request as a partner would and checks the response against the OpenAPI document. */
export function caller(app: InjectedApp, checkContract: ReturnType<typeof createContractCheck>): CallFunction {
  return async (method, url, { token, adminKey, body, headers = {}, remoteAddress } = {}) => {
    const injected = await app.inject({
      ...(remoteAddress !== undefined && { remoteAddress }),
      method: method as 'GET',
      url,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(adminKey !== undefined && { 'admin-api-key': adminKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    })
    const isJson = /json/.test(String(injected.headers['content-type']))
    const response = {
      status: injected.statusCode,
      body: isJson && injected.body !== '' ? injected.json() : undefined,
      headers: injected.headers as TestResponse['headers'],
      text: injected.body,
      bytes: injected.rawPayload,
    }
    checkContract(method, url, response)
    return response
  }
}
