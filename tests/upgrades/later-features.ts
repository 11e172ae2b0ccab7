import assert from 'node:assert/strict'
import type { Body } from '../support/app.ts'
import { callerOf, openBrowser } from '../support/administrators.ts'
import type { Client } from './client.ts'
import type { Filling, Member } from './fill.ts'
import type { Scene } from './kept.ts'
import { type Document, type Read, readsIn } from './record-responses.ts'

/** Whether a version has an operation, by its own OpenAPI document. */
export type Has = (method: string, path: string) => boolean

export async function operationsOf({ made }: Client): Promise<{ has: Has; takesKey: Has; reads: Read[] }> {
  const { paths } = (await made('GET', '/openapi.json')) as Document
  return {
    has: (method, path) => paths[path]?.[method.toLowerCase()] !== undefined,
    takesKey: (method, path) =>
      /idempotency-?key/i.test(JSON.stringify(paths[path]?.[method.toLowerCase()]?.parameters ?? [])),
    reads: readsIn({ paths }),
  }
}

/** A webhook endpoint of the first platform, at the sandbox, which gets everything from now on. */
export async function makeWebhook(
  { client, sandbox, companies, add }: Filling,
  sandboxUrl: string,
): Promise<Scene['webhook']> {
  const token = companies.platforms[0]?.token
  const body = { url: `${sandboxUrl}/webhooks/kept`, event_types: ['*'] }
  const { id, secret } = await client.made('POST', '/v1/webhook_endpoints', { token, body })
  add({ webhook_endpoint_id: id })
  await sandbox.made('PUT', '/webhooks/kept/behaviour', { body: { secret } })
  const test = await client.made('POST', `/v1/webhook_endpoints/${id}/test`, { token })
  await sandbox.until('/webhooks/kept', undefined, ({ deliveries }) =>
    deliveries.some((one: Body) => one.id === test.id),
  )
  return { id, secret }
}

/** Waits until every delivery so far has been accepted. */
export async function untilDelivered({ client, companies }: Filling, webhook: Scene['webhook']): Promise<void> {
  if (!webhook) return
  const path = `/v1/webhook_endpoints/${webhook.id}/deliveries?limit=100`
  const isDone = ({ data }: Body) => data.every(({ status }: Body) => status === 'DELIVERED')
  await client.until(path, companies.platforms[0]?.token, isDone)
}

const ROLES = ['owner', 'operator', 'viewer'] as const

/** Administrators log in at the sandbox's identity provider; returns the cookies of their sessions. */
export async function logIn(api: string, origin: string): Promise<Record<string, string>> {
  const send = callerOf(api)
  const sessions: Record<string, string> = {}
  for (const role of ROLES) {
    const browser = openBrowser(send, origin)
    await browser.logIn(`sandbox-${role}`)
    sessions[role] = browser.cookie() ?? assert.fail()
  }
  return sessions
}

export async function erase({ client, companies }: Filling, member: Member): Promise<void> {
  await client.made('DELETE', `/v1/users/${member.id}`, { token: companies.platforms[0]?.token })
}
