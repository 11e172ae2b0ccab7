import { after } from 'node:test'
import { systemClock } from '../../src/kernel/clock.ts'
import { createMetrics, type Metrics } from '../../src/kernel/metrics.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { AccountProviderClient } from '../../src/domains/money/accounts/index.ts'
import type { Sms } from '../../src/domains/money/wallet-sessions/index.ts'
import { createOperator } from '../../src/domains/money/wallets/adapters/http-operator.ts'
import type { Operator } from '../../src/domains/money/wallets/operator.ts'
import { startWorker } from '../../src/worker.ts'
import { type TestApp } from '../support/app.ts'
import { OPERATOR_SECRET } from '../support/operator.ts'
import { within } from '../support/deadline.ts'
import { freePorts } from '../support/server.ts'
import { auditHeads } from '../support/keys.ts'

export type Behaviour = { mode: string; slow_ms?: number; callbacks?: boolean; lie?: string }
type Known = { wallets: { reference: string; status: string; sequence: number }[]; calls: number }
export type Company = Awaited<ReturnType<typeof createCompany>>

/** An operator for a test: the sandbox on a port of its own, and the adapter that calls it. */
export async function createCompany(behaviour: Behaviour = { mode: 'ok' }, limits: { open_ms?: number } = {}) {
  const [port = 0] = await freePorts(1)
  const stop = await startSandbox({ host: '127.0.0.1', port, operatorSecret: OPERATOR_SECRET })
  after(stop)
  const url = `http://127.0.0.1:${port}/operator`
  const put = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`PUT ${path} returned ${response.status}`)
    return response.json()
  }
  const behave = (how: Behaviour) => put('/behaviour', how)
  await behave(behaviour)
  return {
    url,
    operator: createOperator({ url, apiKey: 'sandbox', secret: OPERATOR_SECRET, clock: systemClock }, limits),
    behave,
    /** Changes a wallet there, as an operator's clerk would; our side gets a callback. */
    set: async (reference: string, status: 'ACTIVE' | 'BLOCKED'): Promise<void> =>
      void (await put(`/wallets/${reference}/status`, { status })),
    /** Has it send a callback that says this, whatever is true there; returns the status of our response. */
    report: async (reference: string, callback: { event_id?: string; status?: string; sequence?: number }) =>
      ((await put(`/wallets/${reference}/callback`, callback)) as { response_status: number | null }).response_status,
    known: async () => (await (await fetch(`${url}/wallets`)).json()) as Known,
  }
}

/** Lets the app listen for callbacks; returns their URL. */
export async function listenForCallbacks({ app }: Pick<TestApp, 'app'>): Promise<string> {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return `${origin}/wallet/v1/operator/events`
}

type Companies = { operator: Operator; operatorCallbackUrl: string; accountProvider?: AccountProviderClient; sms?: Sms }

const nobody = () => Promise.reject(new Error('nobody is asked for this here'))

/** The production worker with its schedule, on the app's database. The returned function stops it. */
export async function createWorker(
  t: TestApp,
  companies: Companies,
  {
    statusHours,
    metrics = createMetrics(),
    ...settings
  }: { monitor_s?: number; statusHours?: number; metrics?: Metrics } = {},
) {
  const queue = await t.startQueue(settings)
  return startWorker(
    { ...t.deps, queue },
    {
      url: t.appUrl,
      companies: { accountProvider: { openAccount: nobody }, sms: { send: nobody }, ...companies },
      auditHeads: auditHeads(),
      log: t.log,
      metrics,
      ...(statusHours !== undefined && { statusHours }),
    },
  )
}

/** Waits for a status as a client would, by polling. */
export async function untilStatus(
  t: TestApp,
  { id, token }: { id: string; token: string },
  { is, deadline_ms }: { is: string; deadline_ms: number },
): Promise<void> {
  await within(deadline_ms, async () => {
    const { wallet_status } = await t.made('GET', `/wallet/v1/wallet/${id}/status`, { token })
    return wallet_status === is
  })
}
