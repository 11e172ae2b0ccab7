import assert from 'node:assert/strict'
import { cloneDatabase } from './database.ts'
import { ONBOARDING } from './app.ts'
import { clientOf, eventually, newWorkspace, runCommand, type Server, startServer } from './server.ts'

/** A user's names and identifiers; none of them may be visible outside the interface. */
export const PERSONAL = ['Asha', 'asha@example.com', '9876501234', 'Lake View', '001234567890']

/**
 * Starts the program with the sandbox, and makes it do each kind of its work once: requests that succeed and that fail,
 * an event, a job, outbound calls, webhooks that are accepted and that are rejected.
 */
export async function startBusyServer(environment: Record<string, string> = {}) {
  const [workspace, database] = await Promise.all([newWorkspace(), cloneDatabase()])
  const databases = { DATABASE_URL: database.appUrl, MIGRATION_DATABASE_URL: database.ownerUrl }
  let server: Server | undefined
  const stop = async () => {
    await server?.stop()
    await database.close()
    await workspace.remove()
  }
  try {
    server = await startServer(workspace, { ...databases, AUDIT_ARCHIVE_DAYS: '30', ...environment })
    const send = clientOf(workspace.origin)
    const made = async (...[method, path, sending]: Parameters<typeof send>) => {
      const response = await send(method, path, sending)
      assert(response.status < 300, `${method} ${path}: ${response.text}`)
      return response.body
    }
    const owner = (
      await runCommand(['token', '--role', 'owner'], { ...workspace.environment, ...databases })
    ).stdout.trim()
    const ids = await exerciseAll({ made, owner, sandboxUrl: workspace.sandboxUrl })
    return { workspace, server, databases, sql: database.sql, ids, send, made, owner, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Context = {
  made: (...sending: Parameters<ReturnType<typeof clientOf>>) => Promise<Body>
  owner: string
  sandboxUrl: string
}
type Body = Awaited<ReturnType<ReturnType<typeof clientOf>>>['body']

async function exerciseAll({ made, owner, sandboxUrl }: Context) {
  const { id: platformId } = await made('POST', '/v1/platforms', { token: owner, body: { name: 'Acme' } })
  const { basic_token } = await made('POST', `/v1/platforms/${platformId}/credentials`, { token: owner })
  const headers = { authorization: `Basic ${basic_token}` }
  const body = { grant_type: 'client_credentials' }
  const { access_token: platform } = await made('POST', '/v1/oauth/token', { headers, body })

  const endpoints: string[] = []
  for (const [name, mode] of [
    ['takes', 'ok'],
    ['refuses', 'fail'],
  ]) {
    const url = `${sandboxUrl}/webhooks/${name}`
    const behaviour = JSON.stringify({ mode })
    await fetch(`${url}/behaviour`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: behaviour })
    const endpoint = { url, event_types: ['*'] }
    endpoints.push((await made('POST', '/v1/webhook_endpoints', { token: platform, body: endpoint })).id)
  }

  const phone = { phone_country_code: '+91', phone_number: PERSONAL[2] }
  const { user_id: userId } = await made('POST', '/v1/auth/token', { token: platform, body: phone })
  await made('POST', `/v1/users/${userId}/complete_onboarding`, { token: platform, body: ONBOARDING })
  const accounts = () => made('GET', `/v1/users/${userId}/accounts?status=ACTIVE`, { token: platform })
  await eventually(accounts, ({ total }) => total > 0)
  for (const id of endpoints) {
    const attempted = () => made('GET', `/v1/webhook_endpoints/${id}/deliveries`, { token: platform })
    await eventually(attempted, ({ data }) => data.some(({ attempts }: Body) => attempts.length > 0))
  }
  return { platform, platformId: String(platformId), userId: String(userId), endpoints }
}
