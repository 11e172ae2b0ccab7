import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Sponsor, SponsorPatch } from '../../src/domains/partners/sponsors/records.ts'
import { SPONSOR_STATUSES } from '../../src/domains/partners/sponsors/states.ts'
import { changeSponsor } from '../../src/domains/partners/sponsors/update-sponsor.ts'
import { createVault } from '../../src/kernel/crypto/vault.ts'
import type { Author, Decision } from '../../src/record/index.ts'
import { testKeys } from '../support/keys.ts'

const { key } = createVault(testKeys()).newDataKey()
const by: Author = {
  caller: { kind: 'platform', platformId: 'plt_own', epoch: 0, credentialId: 'crd_test' },
  requestId: 'req_test',
  at: new Date('2026-04-02T10:00:00.500Z'),
}

const plain = { noNullPrototype: true } as const

/** Few values, so that the value sent is often the current one. */
const name = fc.constantFrom('Banyan Textiles', 'Asha Example')
const pan = fc.constantFrom('AAACB1234C', 'AAACB9999C')
const address = fc
  .record(
    { line1: fc.constantFrom('12 MG Road', '13 MG Road'), line2: fc.constantFrom('Second floor') },
    {
      requiredKeys: ['line1'],
      ...plain,
    },
  )
  .map((lines) => ({ ...lines, city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' }))
const email = fc.constantFrom('a@example.com')
const names = { first_name: fc.constantFrom('Asha'), last_name: fc.constantFrom('Example') }
const sponsor_details = fc.oneof(
  fc.record(
    { sponsor_kind: fc.constant('INDIVIDUAL' as const), ...names, email },
    { requiredKeys: ['sponsor_kind', 'first_name', 'last_name'], ...plain },
  ),
  fc.record(
    { sponsor_kind: fc.constant('ORGANISATION' as const), ...names, email },
    { requiredKeys: ['sponsor_kind'], ...plain },
  ),
)

const sponsors: fc.Arbitrary<Sponsor> = fc
  .record({
    status: fc.constantFrom(...SPONSOR_STATUSES),
    revision: fc.nat(),
    profile: fc.record({ name, pan, address, sponsor_details }, plain),
  })
  .map((some) => ({
    id: 'spn_test',
    userId: null,
    platformId: 'plt_own',
    slug: 'sponsor-test',
    key,
    createdAt: '2026-04-01T09:30:00',
    lastModifiedAt: '2026-04-01T09:30:00',
    ...some,
  }))

const blanks = fc.constantFrom('', ' ', '\t')
const sentPan = fc.tuple(blanks, pan, blanks).map((parts) => parts.join(''))
const patches: fc.Arbitrary<SponsorPatch> = fc.record(
  { name, pan: sentPan, address, sponsor_details },
  { requiredKeys: [], ...plain },
)

const everyChange = (holds: (sponsor: Sponsor, patch: SponsorPatch, decision: Decision<Sponsor>) => void) =>
  fc.assert(
    fc.property(sponsors, patches, (sponsor, patch) => holds(sponsor, patch, changeSponsor(sponsor, patch, by))),
  )

describe('a change of a sponsor', () => {
  it('applies what was sent, and keeps the rest', () => {
    everyChange((sponsor, { pan: sent = sponsor.profile.pan, ...patch }, { result }) => {
      assert.deepEqual(result.profile, { ...sponsor.profile, ...patch, pan: sent.trim() })
      const { profile: _, status: __, revision: ___, lastModifiedAt: ____, ...rest } = result
      assert.partialDeepStrictEqual(sponsor, rest)
    })
  })

  it('is a new version with an event; an empty change is neither', () => {
    everyChange((sponsor, _, decision) => {
      if (!decision.write) {
        assert.equal(decision.result, sponsor)
        return
      }
      assert.notDeepEqual(decision.result.profile, sponsor.profile)
      assert.equal(decision.result.revision, sponsor.revision + 1)
      assert.equal(decision.result.lastModifiedAt, '2026-04-02T10:00:00')
      assert.deepEqual(Object.values(decision.values).slice(0, 3), [
        sponsor.id,
        sponsor.revision,
        decision.result.status,
      ])
      assert.equal(decision.events?.[0]?.type, 'sponsor.updated')
    })
  })

  it('changes nothing the second time', () => {
    everyChange((_, patch, { result }) => assert.equal(changeSponsor(result, patch, by).write, undefined))
  })

  it('returns it to PENDING exactly when it was ACTIVE and its PAN or kind changes, and reports it', () => {
    everyChange((sponsor, _, decision) => {
      const { status, profile } = decision.result
      const isOther =
        profile.pan !== sponsor.profile.pan ||
        profile.sponsor_details.sponsor_kind !== sponsor.profile.sponsor_details.sponsor_kind
      const isSentBack = sponsor.status === 'ACTIVE' && isOther
      assert.equal(status, isSentBack ? 'PENDING' : sponsor.status)
      if (!decision.write) return
      const reported = decision.events?.filter(({ type }) => type === 'sponsor.status_changed').map(({ data }) => data)
      assert.deepEqual(reported, isSentBack ? [{ sponsor_id: sponsor.id, from: 'ACTIVE', to: 'PENDING' }] : [])
      assert.equal(decision.history?.length, isSentBack ? 1 : 0)
    })
  })
})
