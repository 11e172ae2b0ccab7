import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, ONBOARDING, openTestApp, PLAN } from '../../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../../support/issued-policies.ts'
import { pictureOf, qrCodeIn, textOf } from '../../../support/pdf.ts'

const t = await openTestApp()

const KINDS = ['policy_certificate', 'customer_information_sheet', 'enrollment_form', 'health_card/self']
const VERIFIED_BY_HANDLER = KINDS.filter((kind) => kind !== 'enrollment_form')

const get = (at: PolicyScene, kind: string, options: { token?: string; headers?: Record<string, string> } = {}) =>
  t.call('GET', `${at.documents}/${kind}`, { token: at.user.token, ...options })

const recordOf = async (at: PolicyScene) => (await t.call('GET', at.address, { token: at.platform.token })).body

async function download(at: PolicyScene, kind: string): Promise<Buffer> {
  const response = await get(at, kind)
  assert.equal(response.status, 200, response.text)
  return response.bytes
}

/** A PENDING policy of a user who gave this address at onboarding. */
async function enrolWithAddress(address: string | object): Promise<PolicyScene> {
  const [platform, provider] = await Promise.all([t.platform(), t.provider()])
  const user = await t.user(platform)
  const body = { ...ONBOARDING, address }
  await t.made('POST', `/v1/users/${user.id}/complete_onboarding`, { token: platform.token, body })
  const id = await t.policy(platform, user, await t.benefit(platform, provider))
  const at = `/v1/users/${user.id}/insurance_policies/${id}`
  return { platform, provider, user, dependants: [], id, address: at, documents: `${at}/documents` }
}

const collapseSpaces = (text: string) => text.replaceAll(/\s+/g, ' ')
const textOfDocument = async (at: PolicyScene, kind: string) => collapseSpaces(await textOf(await download(at, kind)))

describe('the content of documents', () => {
  it('the certificate agrees with the record', async () => {
    const at = await issueToFamily(
      t,
      { dependants: ['Ravi', 'Meena'] },
      { external_policy_id: 'SG-2026-000123', master_policy_number: 'MP-77' },
    )
    const record = await recordOf(at)
    const text = await textOfDocument(at, 'policy_certificate')
    for (const said of [
      record.external_policy_id,
      record.master_policy_number,
      record.benefit_name,
      record.plan_code,
      'Suraksha General',
      'Banyan Textiles',
      `${record.primary_member.first_name} ${record.primary_member.last_name}`,
      ...record.dependants.map((one: Record<string, string>) => `${one['first_name']} ${one['last_name']}`),
      '1 April 2026',
      '31 March 2027',
      '17 May 1990',
      '2 August 2015',
      '₹12,045.00',
      '₹33.00',
      '₹6,022.50',
    ])
      assert(text.includes(said), `${said} in: ${text}`)
  })

  it('the information sheet states the end, the cost and how to renew', async () => {
    const at = await issueToFamily(t)
    const text = await textOfDocument(at, 'customer_information_sheet')
    for (const said of ['Family health cover', '31 March 2027', '1 March 2027', '30 April 2027', '₹12,045.00'])
      assert(text.includes(said), `${said} in: ${text}`)
  })

  it('the enrolment form shows the application, and no other document does', async () => {
    const questionnaire = {
      questions: [
        { question: 'Do you smoke?', answer: false },
        { question: 'Diabetes?', answer: true },
      ],
    }
    const at = await issueToFamily(t, { input: { questionnaire } })
    const phone = (await t.call('GET', `/v1/users/${at.user.id}`, { token: at.user.token })).body.phone_number
    const reported = ['Do you smoke?', 'Diabetes?', 'asha@example.com', 'Flat 4, Lake View, Pune 411001', phone]
    const input = await textOfDocument(at, 'enrollment_form')
    for (const said of [...reported, 'Yes', 'No', 'Asha Example', 'Ravi Example'])
      assert(input.includes(said), `${said} in: ${input}`)
    assert(!input.includes('001234567890'), 'the bank account is nobody’s business here')
    for (const kind of VERIFIED_BY_HANDLER) {
      const text = await textOfDocument(at, kind)
      for (const said of reported) assert(!text.includes(said), `${said} in ${kind}`)
    }
  })

  it('the certificate shows the sponsor’s share of the premium and the member’s', async () => {
    const sponsor_contribution = { currency: 'INR', value: 5_000 }
    const plan = { ...PLAN, premium_amounts: { ...PLAN.premium_amounts, sponsor_contribution } }
    const at = await issueToFamily(t, { plan: [plan] })
    for (const kind of ['policy_certificate', 'customer_information_sheet']) {
      const text = await textOfDocument(at, kind)
      for (const said of ['₹12,045.00', '₹5,000.00', '₹7,045.00']) assert(text.includes(said), `${said} in: ${text}`)
      assert(!text.includes('₹6,022.50'), text)
    }
  })

  it('a multi-line address is complete on the enrolment form', async () => {
    const at = await enrolWithAddress({ ...ADDRESS, line2: 'Near Cubbon Park' })
    const input = await textOfDocument(at, 'enrollment_form')
    assert(input.includes('12 MG Road Near Cubbon Park Bengaluru 560001 Karnataka, India'), input)
  })

  it('an empty address leaves the rest of the enrolment form intact', async () => {
    const nothing = { line1: '', city: '', state: '', country: '', pincode: '' }
    const responses = []
    for (const address of [nothing, '']) responses.push(await get(await enrolWithAddress(address), 'enrollment_form'))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200],
    )
    for (const { bytes } of responses) {
      const input = collapseSpaces(await textOf(bytes))
      for (const said of ['Asha Example', 'asha@example.com', 'Address'])
        assert(input.includes(said), `${said} in: ${input}`)
    }
  })

  it('each card shows its holder, and its code leads to the check of that card', async () => {
    const at = await issueToFamily(t, {}, { external_policy_id: 'SG-2026-000123' })
    const codes = []
    for (const [member, name] of [
      ['self', 'Asha Example'],
      [at.dependants[0], 'Ravi Example'],
    ]) {
      const bytes = await download(at, `health_card/${member}`)
      const text = collapseSpaces(await textOf(bytes))
      for (const said of [name, 'SG-2026-000123', '31 March 2027', 'Suraksha General'])
        assert(text.includes(said as string), `${said} in: ${text}`)
      codes.push(qrCodeIn(await pictureOf(bytes, 2)))
    }
    assert.equal(new Set(codes).size, 2)
    for (const code of codes) {
      assert.match(code, /^HTTP:\/\/BANYAN\.TEST\/C\/[0-9A-Z]{128}$/)
      const check = await t.app.inject(code.slice('http://banyan.test'.length))
      assert.equal(check.json().result === 'not_valid', false, check.body)
    }
  })

  it('names in Indian scripts can be copied out as they were sent', async () => {
    const names = [
      'रवि क्षत्रिय',
      'कृष्णा ठेकेदार',
      'केशव छुट्टी',
      'மீனா கொடு',
      'లక్ష్మి విద్యార్థి',
      'కృష్ణ జ్ఞాన',
      'ಕನ್ನಡ ಸ್ವಾಸ್ಥ್ಯ',
      'বাংলা স্বাস্থ্য',
      'কৃষ্ণ বিশ্বাস',
      'সূর্য মুখোপাধ্যায়',
    ]
    const at = await issueToFamily(t, { dependants: names })
    for (const kind of ['policy_certificate', 'customer_information_sheet', 'enrollment_form']) {
      const text = await textOfDocument(at, kind)
      for (const name of names) assert(text.includes(name), `${name} in ${kind}: ${text}`)
    }
  })

  it('a user who has not completed onboarding gets every document too, and a card that can be checked', async () => {
    const at = await issueToFamily(t, { dependants: [], isOnboarded: false })
    for (const kind of KINDS) assert.equal((await get(at, kind)).status, 200, kind)
    assert.match(await textOfDocument(at, 'health_card/self'), /Asha Early/)
  })

  it('a name is never interpreted as markup', async () => {
    const name = '#panic("x") *b* $x$ [a] @ref <l> \\ `c`'
    const at = await issueToFamily(t, { dependants: [name] })
    for (const kind of ['policy_certificate', `health_card/ID`]) {
      const text = await textOfDocument(at, kind.replace('ID', at.dependants[0] ?? ''))
      assert(text.includes(name), text)
    }
  })
})
