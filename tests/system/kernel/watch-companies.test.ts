import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { watchCompanies } from '../../../src/boot/watch-companies.ts'
import { createLog } from '../../../src/kernel/log.ts'
import { createMetrics } from '../../../src/kernel/metrics.ts'
import { onCallDone } from '../../../src/kernel/outbound/measured-call.ts'
import { inspectConfig } from '../../../src/settings/config.ts'
import { EXPIRED, KEY, UNTRUSTED } from '../../support/certificates.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { freePorts } from '../../support/server.ts'

async function serving(cert: string): Promise<string> {
  const server = createServer({ cert, key: KEY }, (_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

it('a worker measures the days of each certificate and asks for the identity provider, before anybody needs them', async () => {
  const former = getCACertificates('default')
  setDefaultCACertificates([UNTRUSTED]) // so that it is trusted
  after(() => setDefaultCACertificates(former))
  const [closed] = await freePorts(1)
  const { config } = inspectConfig({
    PUBLIC_URL: await serving(UNTRUSTED),
    OIDC_ISSUER: await serving(EXPIRED),
    OIDC_CLIENT_ID: 'banyan',
    OIDC_CLIENT_SECRET: 'secret',
    OPERATOR_URL: `https://localhost:${closed}`,
  })
  const metrics = createMetrics()
  const offCalls = onCallDone(metrics.callDone)
  const stop = watchCompanies(metrics, config, createLog('silent'))
  after(async () => {
    await stop()
    offCalls()
  })
  const valid = async () =>
    Object.fromEntries(
      [...(await metrics.page()).matchAll(/^certificate_valid_seconds\{setting="(\w+)"\} (\S+)$/gm)].map(
        ([, setting, value]) => [setting, Number(value)],
      ),
    )
  await within(DEADLINE_MS, async () => Object.keys(await valid()).length === 2)
  const { PUBLIC_URL = 0, OIDC_ISSUER, OPERATOR_URL } = await valid()
  assert(PUBLIC_URL > 90 * 365 * 86_400, 'until 2124')
  assert.deepEqual([OIDC_ISSUER, OPERATOR_URL], [0, undefined], 'expired; and nothing responds')
  const calls = /^outbound_request_duration_seconds_count\{company="identity_provider",outcome="no_response"\} 1$/m
  await within(DEADLINE_MS, async () => calls.test(await metrics.page()))
})
