import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { runCalendar } from '../../../../src/domains/cover/policies/run-calendar.ts'
import { openTestApp } from '../../../support/app.ts'
import {
  issueAsCorrected,
  issueToFamily,
  type PolicyScene,
  setPolicyStatusTo,
} from '../../../support/issued-policies.ts'
import { textOf } from '../../../support/pdf.ts'
import { smallPdf } from '../../../support/small-pdf.ts'

const t = await openTestApp()

const get = (at: PolicyScene, kind: string) => t.call('GET', `${at.documents}/${kind}`, { token: at.user.token })

const put = (at: PolicyScene, kind: string, body: Buffer) =>
  t.call('PUT', `${at.documents}/${kind}`, {
    token: at.provider.token,
    body,
    headers: { 'content-type': 'application/pdf' },
  })

async function textOfDocument(at: PolicyScene, kind: string): Promise<string> {
  const response = await get(at, kind)
  assert.equal(response.status, 200, response.text)
  return (await textOf(response.bytes)).replaceAll(/\s+/g, ' ')
}

const correct = (at: PolicyScene, input: object) =>
  t.made('PATCH', `/v1/users/${at.user.id}/dependants/${at.dependants[0]}`, { token: at.user.token, body: input })

/** Within the first term of every enrolment here, whenever this runs. */
beforeEach(() => void (t.calendar.at = new Date('2026-07-01T06:00:00Z')))
afterEach(() => void (t.calendar.at = undefined))

describe('a correction', () => {
  it('leaves the certificate as issued until the policy is issued again', async () => {
    const at = await issueToFamily(t)
    const before = await get(at, 'policy_certificate')
    const corrected = await correct(at, { first_name: 'Ravindra' })

    const waiting = await get(at, 'policy_certificate')
    assert.deepEqual(waiting.bytes, before.bytes, 'REQUIRES_POLICY_REISSUANCE: nothing new has been issued')
    assert.equal((await get(at, `health_card/${at.dependants[0]}`)).status, 200)
    assert.equal((await get(at, `health_card/${corrected.id}`)).status, 404)

    await issueAsCorrected(t, at)
    const text = await textOfDocument(at, 'policy_certificate')
    assert(text.includes('Ravindra Example') && !text.includes('Ravi Example'), text)
    assert.notEqual((await get(at, 'policy_certificate')).headers['etag'], before.headers['etag'])
    assert.equal((await get(at, `health_card/${corrected.id}`)).status, 200)
    assert.equal((await get(at, `health_card/${at.dependants[0]}`)).status, 404)
    assert((await textOfDocument(at, 'enrollment_form')).includes('Ravi Example'), 'as it was enrolled')
  })

  it('keeps the record’s list of cards right in each state', async () => {
    const at = await issueToFamily(t)
    const record = async () =>
      (await t.call('GET', `/v1/users/${at.user.id}/insurance_policies`, { token: at.user.token })).body.data[0]
    const [old = ''] = at.dependants
    const { id } = await correct(at, { first_name: 'Ravindra' })
    const waiting = await record()
    assert.deepEqual(waiting.dependant_ids, [id])
    assert.deepEqual(Object.keys(waiting.documents.health_cards), ['self', old])
    await issueAsCorrected(t, at)
    assert.deepEqual(Object.keys((await record()).documents.health_cards), ['self', id])
  })

  it('of a benefit’s name or plan changes no certificate', async () => {
    const at = await issueToFamily(t)
    const before = await get(at, 'policy_certificate')
    const { benefit_id } = (await t.call('GET', at.address, { token: at.platform.token })).body
    await t.made('PATCH', `/v1/benefits/${benefit_id}`, { token: t.owner, body: { name: 'Another name' } })
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, before.bytes)
  })

  it('cannot change what was issued, not even with the service’s database role', async () => {
    const at = await issueToFamily(t)
    const change = {
      name: 'test_facts_change',
      text: `update policy_snapshots set sealed = 'x' where policy_id = '${at.id}'`,
    }
    await assert.rejects(t.db.query(change), /permission denied/)
  })
})

describe('a renewal', () => {
  it('the new certificate carries the new dates, and the previous term’s card still leads to the check', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } })
    t.calendar.at = new Date('2027-03-02T06:00:00Z')
    try {
      await runCalendar(t.deps)
      const old = await textOfDocument(at, 'policy_certificate')
      assert(old.includes('31 March 2027') && !old.includes('31 March 2028'), old)
      const [cardBefore, sheetBefore] = [await get(at, 'health_card/self'), await get(at, 'customer_information_sheet')]

      await setPolicyStatusTo(t, at, ['ISSUED'])
      assert.equal(await textOfDocument(at, 'policy_certificate'), old, 'until its last day')
      t.calendar.at = new Date('2027-04-01T06:00:00Z')
      const renewed = await textOfDocument(at, 'policy_certificate')
      for (const said of ['1 April 2027', '31 March 2028', '2 March 2027']) assert(renewed.includes(said), said)
      assert(!renewed.includes('1 April 2026'), renewed)
      const cardAfter = await get(at, 'health_card/self')
      assert.notDeepEqual(cardAfter.bytes, cardBefore.bytes)
      assert.notEqual((await get(at, 'customer_information_sheet')).headers['etag'], sheetBefore.headers['etag'])
      assert((await textOfDocument(at, 'enrollment_form')).includes('1 April 2026'))
    } finally {
      t.calendar.at = undefined
    }
  })

  it('does not use an upload of the previous term for the new one', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } })
    const [first, second] = [smallPdf('First term'), smallPdf('Second term')]
    const certificate = async () => (await get(at, 'policy_certificate')).bytes
    assert.equal((await put(at, 'policy_certificate', first)).status, 200)
    assert.deepEqual(await certificate(), first)
    t.calendar.at = new Date('2027-03-02T06:00:00Z')
    try {
      await runCalendar(t.deps)
      await setPolicyStatusTo(t, at, ['REQUIRES_POLICY_REISSUANCE'])
      assert.deepEqual(await certificate(), first, 'until the new one is issued')
      assert.equal((await put(at, 'policy_certificate', second)).status, 200)
      assert.deepEqual(await certificate(), first, 'the second is for the issue awaited')
      await setPolicyStatusTo(t, at, ['ISSUED'])
      assert.deepEqual(await certificate(), first, 'the first term goes on')
      t.calendar.at = new Date('2027-04-01T06:00:00Z')
      assert.deepEqual(await certificate(), second)
    } finally {
      t.calendar.at = undefined
    }
  })

  it('after a missed instalment issues what was corrected meanwhile', async () => {
    const at = await issueToFamily(t)
    await setPolicyStatusTo(t, at, ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'])
    const { id } = await correct(at, { first_name: 'Ravindra' })
    await issueAsCorrected(t, at)
    assert.match(await textOfDocument(at, 'policy_certificate'), /Ravindra Example/)
    assert.equal((await get(at, `health_card/${id}`)).status, 200)
  })

  it('the known number sent again with a paid instalment changes nothing', async () => {
    const at = await issueToFamily(t, {}, { external_policy_id: 'SG-1' })
    const ours = smallPdf('Ours')
    await put(at, 'policy_certificate', ours)
    await setPolicyStatusTo(t, at, ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'ISSUED'], { external_policy_id: 'SG-1' })
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, ours)
  })

  it('a missed instalment that is paid leaves certificate and upload unchanged', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } })
    const ours = smallPdf('Ours')
    await put(at, 'policy_certificate', ours)
    const card = await get(at, 'health_card/self')
    for (const status of ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'ISSUED'])
      await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body: { status } })
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, ours)
    assert.deepEqual((await get(at, 'health_card/self')).bytes, card.bytes)
  })

  it('after the end, out of grace, gives a certificate with the new dates and keeps the numbers', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } }, { external_policy_id: 'SG-2026-000123' })
    t.calendar.at = new Date('2027-04-10T06:00:00Z')
    try {
      await runCalendar(t.deps)
      await runCalendar(t.deps) // the window opens, then the end passes
      const url = `/v1/users/${at.user.id}/insurance_policies?status=REQUIRES_CUSTOMER_RENEWAL_IN_GRACE`
      assert.equal((await t.call('GET', url, { token: at.user.token })).body.total, 1)
      const old = await get(at, 'policy_certificate')
      assert((await textOfDocument(at, 'policy_certificate')).includes('31 March 2027'))

      await setPolicyStatusTo(t, at, ['ISSUED'])
      const renewed = await textOfDocument(at, 'policy_certificate')
      for (const said of ['1 April 2027', '31 March 2028', '10 April 2027', 'SG-2026-000123'])
        assert(renewed.includes(said), `${said} in: ${renewed}`)
      for (const past of ['1 April 2026', '31 March 2027']) assert(!renewed.includes(past), `${past} in: ${renewed}`)
      assert.notEqual((await get(at, 'policy_certificate')).headers['etag'], old.headers['etag'])
    } finally {
      t.calendar.at = undefined
    }
  })

  it('a missed instalment paid under a new number gives a certificate with that number and the old dates', async () => {
    const at = await issueToFamily(t, { input: { start_date: '2026-04-01' } }, { external_policy_id: 'SG-2026-000123' })
    t.calendar.at = new Date('2026-07-01T06:00:00Z')
    try {
      const status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
      await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body: { status } })
      assert((await textOfDocument(at, 'policy_certificate')).includes('SG-2026-000123'))

      await setPolicyStatusTo(t, at, ['ISSUED'], { external_policy_id: 'SG-2026-000456' })
      for (const kind of ['policy_certificate', 'health_card/self']) {
        const text = await textOfDocument(at, kind)
        for (const said of ['SG-2026-000456', '31 March 2027']) assert(text.includes(said), `${said} in: ${text}`)
        for (const wrong of ['SG-2026-000123', '31 March 2028']) assert(!text.includes(wrong), `${wrong} in: ${text}`)
      }
    } finally {
      t.calendar.at = undefined
    }
  })
})
