import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SANDBOX_PARTNERS } from '../../../src/settings/sandbox-partners.ts'
import { createSandboxPartners } from '../../../src/boot/sandbox-partners.ts'
import { openTestApp } from '../../support/app.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })
const { platform, provider } = SANDBOX_PARTNERS

describe('the partners of the sandbox’s people', () => {
  it('are created once by processes that start together, as any others are', async () => {
    await Promise.all(Array.from({ length: 4 }, () => createSandboxPartners(t.deps)))
    const [platforms, providers] = [
      await t.made('GET', '/v1/platforms', { token: t.viewer }),
      await t.made('GET', '/v1/benefit_providers', { token: t.viewer }),
    ]
    assert.deepEqual([platforms.total, platforms.data[0].id], [1, platform.id])
    assert.deepEqual([providers.total, providers.data[0].code], [1, provider.code])
    await settled(t)
    const { data } = await t.made('GET', `/v1/audit_log?subject=${platform.id}`, { token: t.owner })
    assert.equal(data.length, 1)
  })

  it('stay as they are: one that was disabled is not enabled by a start', async () => {
    const url = `/v1/platforms/${platform.id}`
    await t.made('PUT', `${url}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
    await createSandboxPartners(t.deps)
    assert.equal((await t.made('GET', url, { token: t.viewer })).status, 'INACTIVE')
  })
})
