import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cardOfMember } from '../../../../src/domains/cover/documents/card-of-member.ts'
import { createJws } from '../../../../src/access/jws.ts'
import type { UserId } from '../../../../src/access/user-id.ts'
import { fromBase32 } from '../../../../src/kernel/base32.ts'
import { openTestApp } from '../../../support/app.ts'
import { PLAN } from '../../../support/scenes.ts'
import {
  issueAsCorrected,
  issueToFamily,
  type PolicyScene,
  setPolicyStatusTo,
} from '../../../support/issued-policies.ts'

const t = await openTestApp()
const elsewhere = await openTestApp({ own: true })

const NO_COVER_IN_GRACE = { ...PLAN, grace_cover: 'NONE' }

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

/** Corrects a dependant; returns the id of the new version. */
const correct = async (at: PolicyScene, dependant: string, body: object): Promise<string> =>
  (await t.made('PATCH', `/v1/users/${at.user.id}/dependants/${dependant}`, { token: at.user.token, body })).id

type Body = Record<'result' | 'newer_card' | 'member_initials', unknown>
const factsOf = ({ result, newer_card, member_initials }: Body) => [result, newer_card, member_initials]

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

  it('valid to the last day, in grace during grace, then expired; before the first day not started', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    assert.equal(await resultOn('2026-03-31', code), 'not_started')
    assert.equal(await resultOn('2026-04-01', code), 'valid')
    assert.equal(await resultOn('2027-03-31', code), 'valid')
    assert.equal(await resultOn('2027-04-01', code), 'in_grace')
    assert.equal(await resultOn('2027-04-30', code), 'in_grace')
    assert.equal(await resultOn('2027-05-01', code), 'expired')
  })

  it('in grace says whether it covers: as the plan said at the enrolment, whatever it says today', async () => {
    const own = { ...NO_COVER_IN_GRACE, plan_name: 'Changed later' }
    const checked = (at: PolicyScene, day: string) => on(day, async () => (await check(await codeOf(at))).json())
    const [full, none] = [await issueToFamily(t, TERM), await issueToFamily(t, { ...TERM, plan: [own] })]
    const provider = none.provider.token
    assert.equal((await checked(full, '2027-04-01')).covered, true)
    assert.deepEqual(
      [(await checked(none, '2027-04-01')).result, (await checked(none, '2027-04-30')).covered],
      ['in_grace', false],
    )
    for (const day of ['2026-03-31', '2027-03-31', '2027-05-01'])
      for (const at of [full, none]) assert(!('covered' in (await checked(at, day))), day)
    const { benefit_id } = await t.made('GET', none.address, { token: provider })
    await t.made('PATCH', `/v1/benefits/${benefit_id}`, {
      token: t.owner,
      body: { plans: [{ ...own, grace_cover: 'FULL' }] },
    })
    assert.equal((await checked(none, '2027-04-01')).covered, false)
  })

  it('a missed instalment is in grace before the end, and not covered where the plan says so', async () => {
    const at = await issueToFamily(t, { ...TERM, plan: [NO_COVER_IN_GRACE] })
    const code = await codeOf(at)
    await on('2026-06-01', async () => {
      assert.equal((await check(code)).json().result, 'valid')
      await setPolicyStatusTo(t, at, ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'])
      const { result, covered, valid_until } = (await check(code)).json()
      assert.deepEqual([result, covered, valid_until], ['in_grace', false, '2026-07-01'])
      await setPolicyStatusTo(t, at, ['ISSUED'])
      const paid = (await check(code)).json()
      assert.deepEqual([paid.result, 'covered' in paid], ['valid', false])
    })
  })

  it('not started says from when, and nothing of a last day', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    const { valid_from, valid_until } = await on('2026-03-31', async () => (await check(code)).json())
    assert.deepEqual([valid_from, valid_until], ['2026-04-01', undefined])
    const { valid_from: begun } = await on('2026-04-01', async () => (await check(code)).json())
    assert.equal(begun, undefined)
    const page = visibleText((await on('2026-03-31', () => check(code, 'text/html'))).body)
    assert.match(page, /Not started .*Covered from 1 April 2026/)
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
      ['2026-03-31T18:29:59.999Z', 'not_started', '2026-03-31'],
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

  it('valid with a newer card once a corrected dependant is issued again, and not before', async () => {
    const at = await issueToFamily(t, TERM)
    const code = await codeOf(at, at.dependants[0])
    const checked = async (day: string) => on(day, async () => (await check(code)).json())
    const corrected = await correct(at, at.dependants[0] as string, { first_name: 'Kavya' })
    assert.deepEqual(
      factsOf(await checked('2026-06-01')),
      ['valid', undefined, 'R. E.'],
      'the last issue has the former name',
    )
    await issueAsCorrected(t, at)
    assert.deepEqual(factsOf(await checked('2026-06-01')), ['valid', true, 'K. E.'])
    assert.deepEqual(factsOf(await checked('2026-03-31')), ['not_started', undefined, 'K. E.'])
    assert.deepEqual(factsOf(await checked('2027-04-01')), ['in_grace', true, 'K. E.'])
    assert.deepEqual(factsOf(await checked('2027-05-01')), ['expired', undefined, 'K. E.'])
    const newest = await on('2026-06-01', async () => (await check(await codeOf(at, corrected))).json())
    assert.deepEqual(factsOf(newest), ['valid', undefined, 'K. E.'])
    assert.match(
      visibleText((await on('2026-06-01', () => check(code, 'text/html'))).body),
      /ask the member for the newer card/,
    )
  })

  it('a card of three versions ago is known, also while the newest waits for its issue', async () => {
    const at = await issueToFamily(t, TERM)
    const code = await codeOf(at, at.dependants[0])
    const second = await correct(at, at.dependants[0] as string, { first_name: 'Ravindra' })
    const third = await correct(at, second, { first_name: 'Kavya' })
    await issueAsCorrected(t, at)
    await correct(at, third, { first_name: 'Mira' })
    const checked = async (printed: string) => factsOf((await check(printed)).json())
    await on('2026-06-01', async () => {
      assert.deepEqual(await checked(code), ['valid', true, 'K. E.'])
      assert.deepEqual(await checked(await codeOf(at, third)), ['valid', undefined, 'K. E.'])
      assert.deepEqual(await checked(await codeOf(at, second)), ['not_valid', undefined, undefined], 'it had no card')
    })
  })

  it('expired for somebody who is not on the last issue any more', async () => {
    const at = await issueToFamily(t, { ...TERM, dependants: ['Ravi', 'Mira'] })
    const code = await codeOf(at, at.dependants[0])
    await t.sql('update insurance_policies set issued_dependant_ids = $2 where policy_id = $1', [
      at.id,
      [at.dependants[1]],
    ])
    await on('2026-06-01', async () => {
      const body = (await check(code)).json()
      assert.deepEqual([...factsOf(body), body.valid_until], ['expired', undefined, 'R. E.', undefined])
      assert.equal((await check(await codeOf(at, at.dependants[1]))).json().result, 'valid')
    })
  })

  it('codes are read in either case, below /c/ too; a forged one is not valid in any', async () => {
    const code = await codeOf(await issueToFamily(t, TERM))
    const forged = code.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const typed of [code.toLowerCase(), `/c/${code.slice(3)}`, `/C/${code.slice(3).toLowerCase()}`])
      assert.equal(await resultOn('2026-06-01', typed), 'valid', typed)
    assert.equal(await resultOn('2026-06-01', `/verify/health_card/${code.slice(3).toLowerCase()}`), 'valid')
    assert.equal(await resultOn('2026-06-01', forged.toLowerCase()), 'not_valid')
    assert.equal(await resultOn('2026-03-31', forged), 'not_valid', 'and never not started')
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

  it('expired, not yet to begin, where the policy ended before its first day, or before the person would have joined', async () => {
    const [cancelled, ended] = [
      await issueToFamily(t, TERM),
      await issueToFamily(t, { ...TERM, dependants: ['Ravi', 'Mira'] }),
    ]
    const end = ({ address, platform: { token } }: PolicyScene, day: string) =>
      t.made('PUT', `${address}/end`, { token, body: { on: day, code: 'CANCELLED' } })
    await on('2026-03-20', () => end(cancelled, '2026-03-31'))
    assert.deepEqual(
      factsOf(await on('2026-03-25', async () => (await check(await codeOf(cancelled))).json())).slice(0, 2),
      ['expired', undefined],
    )
    const [, mira = ''] = ended.dependants
    const member = (body: object) =>
      t.made('PUT', `${ended.address}/members/${mira}`, { token: ended.platform.token, body })
    const accept = async () => {
      const { token } = ended.provider
      const { data } = await t.made('GET', '/v1/endorsements?state=REQUESTED', { token })
      for (const { id, user_id } of data)
        if (user_id === ended.user.id)
          await t.made('PUT', `/v1/endorsements/${id}/state`, { token, body: { state: 'ACCEPTED' } })
    }
    await on('2026-04-10', async () => {
      await member({ to: '2026-04-12' })
      await accept()
      await member({ from: '2026-08-01' })
      await accept()
    })
    const code = await codeOf(ended, mira)
    assert.equal(await resultOn('2026-06-01', code), 'not_started')
    await on('2026-06-01', () => end(ended, '2026-06-05'))
    for (const day of ['2026-06-05', '2026-06-06', '2026-08-01'])
      assert.equal(await resultOn(day, code), 'expired', day)
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
