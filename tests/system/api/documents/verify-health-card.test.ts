import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cardOfMember } from '../../../../src/domains/cover/documents/card-of-member.ts'
import { createJws } from '../../../../src/access/jws.ts'
import type { UserId } from '../../../../src/access/user-id.ts'
import { fromBase32 } from '../../../../src/kernel/base32.ts'
import { openTestApp } from '../../../support/app.ts'
import {
  issueAsCorrected,
  issueToFamily,
  type PolicyScene,
  setPolicyStatusTo,
} from '../../../support/issued-policies.ts'

const t = await openTestApp()
const elsewhere = await openTestApp({ own: true })

const TERM = { input: { start_date: '2026-04-01' } } // to 2027-03-31, grace to 2027-04-30

/** The path in the card's QR code. Printing it is tested with the documents. */
async function codeOf(at: PolicyScene, memberId = 'self', app = t): Promise<string> {
  const holder = { userId: at.user.id as UserId, policyId: at.id, memberId }
  return `/C/${app.deps.cards.issue(cardOfMember(app.deps.vault, holder).id)}`
}

const check = (code: string, accept = 'application/json') =>
  t.app.inject({ method: 'GET', url: code, headers: { accept } })

const on = <T>(day: string, work: () => Promise<T>) => atMoment(`${day}T06:00:00Z`, work)

async function atMoment<T>(moment: string, work: () => Promise<T>): Promise<T> {
  t.calendar.at = new Date(moment)
  try {
    return await work()
  } finally {
    t.calendar.at = undefined
  }
}

const resultOn = (day: string, code: string) => on(day, async () => (await check(code)).json().result)

describe('GET /verify/health_card/{token}, in codes /C/{token}', () => {
  it('200 valid: until when, the insurer, the time of the check, the last four digits and the initials, nothing else', async () => {
    const at = await issueToFamily(t, TERM, { external_policy_id: 'SG-2026-000123' })
    const code = await codeOf(at)
    const response = await on('2026-06-01', () => check(code))
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.json(), {
      result: 'valid',
      valid_until: '2027-03-31',
      issuer: 'Suraksha General',
      checked_on: '2026-06-01',
      checked_at: '2026-06-01T06:00:00',
      policy_number_last4: '0123',
      member_initials: 'A. E.',
    })
    assert.equal(response.headers['cache-control'], 'no-store')
    assert.equal(response.headers['vary'], 'accept')
    const child = await on('2026-06-01', async () => check(await codeOf(at, at.dependants[0])))
    assert.equal(child.json().member_initials, 'R. E.')
  })

  it('initials are the first letters of names in any script', async () => {
    const at = await issueToFamily(t, { ...TERM, dependants: ['क्षितिज'] })
    const { member_initials } = await on('2026-06-01', async () =>
      (await check(await codeOf(at, at.dependants[0]))).json(),
    )
    assert.match(member_initials, /^क्षि?\. E\.$/u)
  })

  it('valid to the last day, in grace during grace, then expired; before the first day not valid', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    assert.equal(await resultOn('2026-03-31', code), 'not_valid')
    assert.equal(await resultOn('2026-04-01', code), 'valid')
    assert.equal(await resultOn('2027-03-31', code), 'valid')
    assert.equal(await resultOn('2027-04-01', code), 'in_grace')
    assert.equal(await resultOn('2027-04-30', code), 'in_grace')
    assert.equal(await resultOn('2027-05-01', code), 'expired')
  })

  it('says until when it is valid or in grace, and of an expired card nothing of the kind', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    const untilOn = (day: string) => on(day, async () => (await check(code)).json().valid_until)
    assert.equal(await untilOn('2027-03-31'), '2027-03-31')
    assert.equal(await untilOn('2027-04-01'), '2027-04-30')
    assert.equal(await untilOn('2027-05-01'), undefined)
  })

  it('changes at midnight in India, which is 18:30 UTC of the previous day', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    for (const [moment, result, checked_on] of [
      ['2026-03-31T18:29:59.999Z', 'not_valid', undefined],
      ['2026-03-31T18:30:00Z', 'valid', '2026-04-01'],
      ['2027-03-31T18:29:59.999Z', 'valid', '2027-03-31'],
      ['2027-03-31T18:30:00Z', 'in_grace', '2027-04-01'],
      ['2027-04-30T18:29:59.999Z', 'in_grace', '2027-04-30'],
      ['2027-04-30T18:30:00Z', 'expired', '2027-05-01'],
    ] as const) {
      const checked = await atMoment(moment, async () => (await check(code)).json())
      assert.deepEqual([checked.result, checked.checked_on], [result, checked_on], moment)
    }
  })

  it('a card printed before a renewal is valid in the new term', async () => {
    const at = await issueToFamily(t, TERM)
    const code = await codeOf(at)
    await on('2027-03-10', async () => {
      await t.sql(`update insurance_policies set status = 'REQUIRES_CUSTOMER_RENEWAL' where policy_id = $1`, [at.id])
      await setPolicyStatusTo(t, at, ['ISSUED'])
    })
    assert.equal(await resultOn('2027-03-20', code), 'valid', 'the term before has not ended')
    assert.equal(await resultOn('2027-06-01', code), 'valid')
  })

  it('expired when the policy was ended early', async () => {
    const at = await issueToFamily(t, TERM)
    const code = await codeOf(at)
    await t.made('PUT', `${at.address}/status`, { token: t.owner, body: { status: 'EXPIRED' } })
    assert.equal(await resultOn('2026-06-01', code), 'expired')
  })

  it('not valid once another version of the dependant is covered, and not before', async () => {
    const at = await issueToFamily(t, TERM)
    const code = await codeOf(at, at.dependants[0])
    const url = `/v1/users/${at.user.id}/dependants/${at.dependants[0]}`
    await t.made('PATCH', url, { token: at.user.token, body: { first_name: 'Ravindra' } })
    assert.equal(await resultOn('2026-06-01', code), 'valid')
    await issueAsCorrected(t, at)
    assert.equal(await resultOn('2026-06-01', code), 'not_valid')
  })

  it('not valid, with no details, for tampered, foreign and invented tokens', async () => {
    const at = await issueToFamily(t, TERM)
    const code = await codeOf(at)
    const foreign = await codeOf(await issueToFamily(elsewhere, TERM), 'self', elsewhere)
    const [path, token] = [code.slice(0, code.lastIndexOf('/')), code.slice(code.lastIndexOf('/') + 1)]
    const neverIssued = t.deps.cards.issue('A'.repeat(22))
    for (const wrong of [
      foreign.slice(foreign.lastIndexOf('/') + 1),
      neverIssued,
      `${neverIssued.slice(0, 26)}${token.slice(26)}`,
      token.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      `${token}0`,
      token.slice(0, -1),
      at.user.token.slice(0, 200),
      'x',
      at.id,
      '..%2f..%2fetc',
    ]) {
      const response = await check(`${path}/${wrong}`)
      assert.deepEqual([response.statusCode, response.json()], [200, { result: 'not_valid' }], wrong)
      const page = await check(`${path}/${wrong}`, 'text/html')
      assert(!/\d{4}/.test(visibleText(page.body)), 'no number is shown')
    }
  })

  it('is a page for people with the same facts and nothing more', async () => {
    const at = await issueToFamily(t, TERM, { external_policy_id: 'SG-2026-000123' })
    const code = await codeOf(at)
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
    const page = await on('2026-06-01', () => check(code, browser))
    assert.match(String(page.headers['content-type']), /^text\/html; charset=utf-8$/)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    const text = visibleText(page.body)
    for (const said of ['Valid', '0123', 'A. E.', '31 March 2027', 'Suraksha General', '11:30 in India'])
      assert(text.includes(said), text)
    for (const secret of ['Asha', 'Example', 'SG-2026', at.id, at.user.id, 'Family'])
      assert(!page.body.includes(secret), secret)
    assert.equal((await check(code, '*/*')).headers['content-type'], 'application/json; charset=utf-8')
    assert.equal((await check(code, 'image/png')).statusCode, 406)
  })

  it('ignores what messengers append to the URL; any other response is only that the card is not valid', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    for (const more of ['?utm_source=chat', '?fbclid=x&y', '/'])
      assert.equal(await resultOn('2026-06-01', code + more), 'valid', more)
    for (const wrong of ['', 'x/y', 'x'.repeat(2_000)]) {
      const response = await check(`/verify/health_card/${wrong}`)
      assert.deepEqual([response.statusCode, response.json()], [200, { result: 'not_valid' }], wrong.slice(0, 20))
    }
  })

  it('the longer URL of the interface returns the same', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    const [short, long] = await on('2026-06-01', () =>
      Promise.all([check(code), check(code.replace('/C/', '/verify/health_card/'))]),
    )
    assert.equal(short?.json().result, 'valid')
    assert.deepEqual(long?.json(), short?.json())
  })

  it('a card that was printed with a JWT in its code is checked as before', async () => {
    const at = await issueToFamily(t, TERM)
    const { id } = cardOfMember(t.deps.vault, { userId: at.user.id as UserId, policyId: at.id, memberId: 'self' })
    const token = createJws({ keys: t.keys.signingKeys, typ: 'card+jwt' }).sign({ sub: id })
    const code = `/verify/health_card/${token}`
    assert.equal(await resultOn('2026-06-01', code), 'valid')
    assert.equal(await resultOn('2027-04-01', code), 'in_grace')
    assert.equal(await resultOn('2026-06-01', code.replace(/.{10}$/, 'A'.repeat(10))), 'not_valid')
  })

  it('the code alone reveals nothing', async () => {
    const at = await issueToFamily(t, TERM)
    const said = fromBase32((await codeOf(at)).slice('/C/'.length).toLowerCase())?.toString('latin1') ?? ''
    assert.equal(said.length, 80)
    for (const secret of [at.user.id, at.id, 'Asha', 'self']) assert(!said.includes(secret), said)
  })
})

const visibleText = (html: string) =>
  html
    .replaceAll(/<style[\s\S]*?<\/style>|<head[\s\S]*?<\/head>/g, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
