import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkIsOwn, toScope } from '../../../src/access/scope.ts'
import { findSponsor } from '../../../src/domains/partners/sponsors/index.ts'
import { findSponsors } from '../../../src/domains/partners/sponsors/store.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })

const isNotFound = (error: unknown) => error instanceof ProblemError && error.code === 'not_found'

describe('the scope of a benefit provider', () => {
  it('includes no sponsor, whatever the role matrix grants', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const sponsorId = await t.sponsor(platform)
    const { vault } = t.deps
    const page = { statuses: undefined, page: { limit: 20, offset: 0 } }
    const everything = toScope({ kind: 'owner', subject: 'test' })
    const ofProvider = toScope({ kind: 'provider', benefitProviderId: provider.id, credentialId: 'crd_test' })

    assert.equal((await findSponsors(t.db, vault, { scope: everything, ...page })).total, 1)
    assert.equal((await findSponsor(t.db, vault, everything, sponsorId)).id, sponsorId)
    assert.deepEqual(await findSponsors(t.db, vault, { scope: ofProvider, ...page }), { rows: [], total: 0 })
    await assert.rejects(findSponsor(t.db, vault, ofProvider, sponsorId), isNotFound)
  })
})

describe('an owner named by id in the request', () => {
  const platform = { platformId: 'plt_own', epoch: 0, credentialId: 'crd_test' }
  const own = { platformId: 'plt_own' }
  const theirs = { platformId: 'plt_other' }

  it('is not found when it is another platform or benefit provider', () => {
    const provider = { kind: 'provider', benefitProviderId: 'bpr_own', credentialId: 'crd_test' } as const
    checkIsOwn({ kind: 'platform', ...platform }, own)
    checkIsOwn(provider, { benefitProviderId: 'bpr_own' })
    assert.throws(() => checkIsOwn({ kind: 'platform', ...platform }, theirs), isNotFound)
    assert.throws(() => checkIsOwn({ kind: 'platform', ...platform }, { benefitProviderId: 'bpr_own' }), isNotFound)
    assert.throws(() => checkIsOwn(provider, { benefitProviderId: 'bpr_other' }), isNotFound)
    assert.throws(() => checkIsOwn(provider, own), isNotFound)
  })

  it('is unrestricted for administrators, and fails for callers that have none', () => {
    checkIsOwn({ kind: 'viewer', subject: 'test' }, theirs)
    assert.throws(() => checkIsOwn({ kind: 'admin_key', name: 'desk' }, own), /has no scope/)
    assert.throws(() => checkIsOwn({ kind: 'anyone' }, own), /has no scope/)
  })
})
