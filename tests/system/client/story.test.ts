import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  Banyan,
  dayOf,
  type Event,
  InvalidStateError,
  Money,
  NotFoundError,
  notModified,
  PreconditionFailedError,
  plainDate,
  type PolicyId,
  responseOf,
  type User,
  userId,
  ValidationError,
  WaitError,
} from '../../../client/src/index.ts'
import { Connection, listBenefits } from '../../../client/src/operations.ts'
import type { UserId } from '../../../client/src/generated/ids.ts'
import { ADDRESS, openTestApp } from '../../support/app.ts'

const { TZ } = process.env
process.env['TZ'] = 'Asia/Kolkata'
after(() => {
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

const t = await openTestApp({ own: true })
const baseUrl = await t.app.listen({ host: '127.0.0.1', port: 0 })
const [platform, provider] = await Promise.all([t.platform(), t.provider()])

/** What each caller of the story sees. */
const banyan = new Banyan({ basicToken: platform.basicToken, baseUrl: `${baseUrl}/v1/` })
const insurer = new Banyan({ basicToken: provider.basicToken, baseUrl })
const owner = new Banyan({ accessToken: () => t.owner, baseUrl })

const PHONE = { phone_country_code: '+91', phone_number: '9876543210' }
const story = { user: '' as UserId, policy: '' as PolicyId }

describe('a partner’s program', () => {
  it('onboards a user; times are right in India', async () => {
    const { user_id } = await banyan.users.issueToken(PHONE)
    story.user = user_id
    const { user, access_token } = await banyan.user(user_id).completeOnboarding({
      title: 'MS',
      first_name: 'Asha',
      last_name: 'Example',
      dob: '1990-05-17',
      gender: 'FEMALE',
      email: 'asha@example.com',
      address: ADDRESS,
      bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
    })
    assert(Math.abs(user.created_at.getTime() - Date.now()) < 60 * 60_000, 'not 5½ hours off')
    assert.equal(user.dob, '1990-05-17')
    const own = banyan.as({ accessToken: access_token })
    assert.equal((await own.user(user_id).read()).email, 'asha@example.com')
  })

  it('makes a sponsor, a benefit with premiums in rupees, and enrols', async () => {
    const sponsor = await banyan.sponsors.create({
      name: 'My sponsor',
      pan: 'AAACB1234C',
      address: ADDRESS,
      sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
    })
    await owner.sponsors.setStatus(sponsor.id, { status: 'ACTIVE' }, { ifMatch: sponsor })
    const premium_amounts = {
      annual: Money.rupees('12045'),
      daily: Money.rupees('33'),
      sponsor_contribution: Money.rupees('6022.50'),
    }
    const benefit = await owner.benefits.create({
      name: 'Family health cover',
      benefit_provider_id: provider.id as never,
      sponsor_id: sponsor.id,
      plans: [{ plan_code: 'FAMILY_5L', term_months: 12, premium_amounts }],
    })
    assert.equal(benefit.plans[0]?.premium_amounts.sponsor_contribution.paise, 602_250)
    const { data } = await banyan.user(story.user).dependants.create({
      dependants: [{ first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }],
    })
    const policy = await banyan.user(story.user).policies.enrol({
      benefit_id: benefit.id,
      plan_code: 'FAMILY_5L',
      start_date: dayOf(new Date()),
      dependant_ids: data.map(({ id }) => id),
    })
    story.policy = policy.id
    assert.deepEqual(policy.premium_amounts.annual.format(), '₹12,045.00')
    assert.deepEqual([policy.dependants[0]?.first_name, policy.start_date], ['Ravi', plainDate(dayOf(new Date()))])
  })

  it('waits for the insurer, and takes the certificate as a stream', async () => {
    const waiting = banyan.user(story.user).policies.waitFor(story.policy, 'ISSUED')
    const desk = insurer.user(story.user).policies
    for (const status of ['VERIFICATION', 'APPROVED'] as const) await desk.setStatus(story.policy, { status })
    await desk.setStatus(story.policy, { status: 'ISSUED', external_policy_id: 'NORTH/42' })
    assert.equal((await waiting).status, 'ISSUED')
    const [found] = await banyan.users.search({ external_policy_id: 'NORTH/42' }).all(1)
    assert.equal(found?.user_id, story.user)

    const { policies } = banyan.user(story.user)
    const document = await policies.downloadDocument(story.policy, 'policy_certificate')
    let bytes = 0
    for await (const chunk of document.body) bytes += chunk.length
    assert(bytes > 10_000 && document.etag?.startsWith('"'))
    assert.equal(document.filename, `policy_certificate-${story.policy}.pdf`)
    const again = await policies.downloadDocument(story.policy, 'policy_certificate', { ifNoneMatch: document })
    assert.equal(again, notModified)
    const card = await policies.downloadHealthCard(story.policy, 'self')
    const pdf = await card.bytes()
    assert.equal(new TextDecoder().decode(pdf.subarray(0, 5)), '%PDF-')
    await desk.uploadDocument(story.policy, 'customer_information_sheet', pdf)
    await desk.deleteDocumentUpload(story.policy, 'customer_information_sheet')
  })

  it('gives up waiting for what will not come', async () => {
    const { policies } = banyan.user(story.user)
    const late = policies.waitFor(story.policy, 'APPROVED', { timeout: 2_000 })
    // A busy machine may not even read it in that time.
    await assert.rejects(late, (error) => error instanceof WaitError && 'status' in (error.last ?? { status: '' }))
    await owner.user(story.user).policies.setStatus(story.policy, { status: 'EXPIRED', reason: 'Left' })
    await assert.rejects(policies.waitFor(story.policy, 'ISSUED'), /final state/)
  })

  it('follows events from where it was, until it is stopped', async () => {
    const saved: string[] = []
    const store = { load: () => undefined, save: (cursor: string) => void saved.push(cursor) }
    const controller = new AbortController()
    const events: Event[] = []
    const types = ['policy.status_changed', 'user.created', 'wallet.balance_changed'] as const
    const { signal } = controller
    for await (const event of banyan.events.follow({ types, store, signal, poll: 50 })) {
      events.push(event)
      if (event.type === 'policy.status_changed' && event.data.to === 'ISSUED') break
    }
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['user.created', 'policy.status_changed']))
    assert(events.every(({ timestamp }) => timestamp instanceof Date))
    const after = events.at(-1)?.id
    for await (const event of banyan.events.follow({ after, store, signal, poll: 50 })) {
      events.push(event)
      store.save(event.id)
      if (event.type === 'policy.status_changed') controller.abort()
    }
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length, 'each once')
    assert(saved.length > 0)
    const lost = banyan.events.follow({ after: 'evt_00000000000000000000000000' })
    await assert.rejects(lost.next(), ValidationError)
  })
})

describe('a record', () => {
  it('is read again only if it has changed, and changed only if nobody else did', async () => {
    const { id } = await t.onboardedUser(platform)
    const person = banyan.user(userId(id))
    const before = await person.read()
    assert.equal(await person.read({ ifNoneMatch: before }), notModified)
    const changed = await person.update({ email: 'new@example.com' }, { ifMatch: before })
    assert.equal(responseOf(changed)?.status, 200)
    await assert.rejects(person.update({ email: 'other@example.com' }, { ifMatch: before }), PreconditionFailedError)
    const found = await person.read({ ifNoneMatch: before })
    assert(found !== notModified && found.email === 'new@example.com')
    await assert.rejects(person.update({}, { ifMatch: { ...before } }), /not a copy/)
  })

  it('that is somebody else’s is a NotFoundError; a wrong one says every error at once', async () => {
    await assert.rejects(banyan.user(userId('999999999999')).read(), NotFoundError)
    const input = { first_name: '', last_name: 'Example', date_of_birth: '2999-01-01' } as const
    const error = await banyan
      .user(story.user)
      .dependants.create({ dependants: [input] })
      .catch((error: unknown) => error)
    assert(error instanceof ValidationError)
    const pointers = error.fieldErrors.map(({ pointer, code }) => `${pointer} ${code}`)
    assert.deepEqual(pointers, ['/dependants/0/date_of_birth format', '/dependants/0/first_name too_short'])
  })

  it('in another state is an InvalidStateError that says what is allowed', async () => {
    const error = await insurer
      .user(story.user)
      .policies.setStatus(story.policy, { status: 'APPROVED' })
      .catch((error: unknown) => error)
    assert(error instanceof InvalidStateError)
    assert.deepEqual([error.currentState, error.status], ['EXPIRED', 409])
    assert(Array.isArray(error.allowedTransitions))
  })

  it('with an empty or dotted id is not asked for: it would be another address', async () => {
    for (const id of ['', '.', '..']) await assert.rejects(banyan.user(userId(id)).read(), TypeError)
    await assert.rejects(banyan.user(userId('../platforms')).read(), ValidationError)
  })

  it('with unknown members is an error only when asked to be strict', async () => {
    const { id } = await t.onboardedUser(platform)
    const patch = { nick_name: 'A', email: 'a@example.com' }
    await banyan.user(userId(id)).update(patch)
    await assert.rejects(banyan.user(userId(id)).update(patch, { strict: true }), ValidationError)
  })
})

describe('a list', () => {
  it('is its first page when awaited, all entries when iterated, each once', async () => {
    const of = await t.platform()
    const ids = await Promise.all(Array.from({ length: 7 }, async () => (await t.user(of)).id))
    const client = new Banyan({ basicToken: of.basicToken, baseUrl })
    const page = await client.users.list({ limit: 3 })
    assert.deepEqual([page.data.length, page.total], [3, 7])
    const seen: User[] = []
    for await (const user of client.users.list({ limit: 3 })) {
      if (seen.length === 3) await t.user(of) // shifts the next page
      seen.push(user)
    }
    assert.deepEqual(seen.map(({ user_id }) => String(user_id)).toSorted(), ids.toSorted())
    assert.equal((await client.users.list({ limit: 3 }).all(5)).length, 5)
    const pages = []
    for await (const { data } of client.users.list({ limit: 5 }).pages()) pages.push(data.length)
    assert.deepEqual(pages, [5, 3])
  })

  it('of messages has its entries alongside the provider', async () => {
    const holder = await t.onboardedUser(platform)
    const { consultations } = banyan.user(userId(holder.id))
    const { id } = await consultations.create({ benefit_provider_id: provider.id as never })
    for (const content of ['One', 'Two', 'Three'])
      await consultations.createMessage(id, { body: { content, message_type: 'TEXT' } })
    const texts = []
    for await (const { body } of consultations.listMessages(id, { limit: 2 })) texts.push(body.content)
    assert.deepEqual(texts, ['One', 'Two', 'Three'])
  })

  it('is the JSON that the service wrote, for a program that passes it on', async () => {
    const asWritten = { ...listBenefits, returns: 'json' } as const
    const page = await new Connection({ accessToken: t.owner, baseUrl }).call(asWritten, { query: { limit: 100 } })
    const headers = { authorization: `Bearer ${t.owner}` }
    const sent = await (await fetch(`${baseUrl}/v1/benefits?limit=100`, { headers })).text()
    assert.match(sent, /"value":6022\.5\D.*"created_at":"[^"]+[^Z]"/)
    assert.equal(JSON.stringify(page), sent)
  })
})
