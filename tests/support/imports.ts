import assert from 'node:assert/strict'
import { runImports } from '../../src/domains/integration/imports/index.ts'
import { createImportedOperations } from '../../src/worker.ts'
import type { Body, TestApp, TestResponse } from './app.ts'

export const CSV = { 'content-type': 'text/csv' }
export const JSON_LINES = { 'content-type': 'application/x-ndjson' }

type File = { token: string; kind: string; query?: string; headers?: Record<string, string> }

/** Imports of a test, and the worker that works through them. */
export function importScenes(t: TestApp) {
  const singleCalls = createImportedOperations(t.deps)
  const going = new AbortController().signal

  const send = (text: string | Buffer, { token, kind, query = '', headers = CSV }: File): Promise<TestResponse> =>
    t.call('POST', `/v1/imports?kind=${kind}${query}`, { token, headers, body: text })

  /** Works like a worker until nothing is left. */
  async function work(context: Partial<Parameters<typeof runImports>[0]> = {}): Promise<void> {
    while (await runImports({ ...t.deps, singleCalls, log: t.log, ...context }, going));
  }

  async function read(token: string, id: string): Promise<Body> {
    const { status, body } = await t.call('GET', `/v1/imports/${id}`, { token })
    assert.equal(status, 200)
    return body
  }

  async function report(token: string, id: string, query = ''): Promise<Body[]> {
    const { status, body } = await t.call('GET', `/v1/imports/${id}/rows?limit=100${query}`, { token })
    assert.equal(status, 200)
    return body.data
  }

  /** Sends a file, and works until it is done. */
  async function imported(text: string | Buffer, file: File): Promise<Body> {
    const sent = await send(text, file)
    assert([200, 201].includes(sent.status), sent.text)
    await work()
    return read(file.token, sent.body.id)
  }

  return { send, work, read, report, imported, singleCalls }
}

/** The lines of a file as a spreadsheet saves them. */
export const csv = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`
