import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { PLAN } from '../../support/app.ts'
import type { createCanaries } from '../../support/canaries.ts'
import { eventually } from '../../support/server.ts'
import { smallPdf } from '../../support/small-pdf.ts'
import type { EchoingCompanies } from './echoing-companies.ts'
import type { Player } from './player.ts'

type Canaries = ReturnType<typeof createCanaries>
export type Scene = {
  player: Player
  canaries: Canaries
  /** Canaries for what is kept in clear on purpose. */
  kept: Canaries
  companies: EchoingCompanies
  receiver: { url: string }
  operatorSecret: string
}

/** Where an insurer is, which is public. */
const OFFICE = {
  line1: '14 Lake View',
  line2: 'Floor 2',
  city: 'Pune',
  state: 'Maharashtra',
  country: 'India',
  pincode: '411001',
}

/** Companies, plans and webhooks: what is there before anybody is covered. */
export async function playCatalogue({ player, kept, receiver }: Scene): Promise<void> {
  const { ids, play, tokens } = player
  const credential = { expires_at: '2099-12-31T00:00:00', ip_allow_list: ['127.0.0.0/8', '::1/128'] }
  ids['platform_id'] = (await play('createPlatform', { given: { name: kept.text('createPlatform/name') } })).id
  tokens.platform = await exchanged(player, (await play('createPlatformCredential', { given: credential })).basic_token)
  const provider = {
    name: kept.text('createBenefitProvider/name'),
    code: kept.text('createBenefitProvider/code').toUpperCase(),
    address: OFFICE,
  }
  ids['benefit_provider_id'] = (await play('createBenefitProvider', { given: provider })).id
  await play('updateBenefitProvider', { given: { name: kept.text('updateBenefitProvider/name'), address: OFFICE } })
  tokens.provider = await exchanged(
    player,
    (await play('createBenefitProviderCredential', { given: credential })).basic_token,
  )

  const organisation = { name: kept.text('createSponsor/name'), sponsor_details: { sponsor_kind: 'ORGANISATION' } }
  await play('createSponsor', { given: { ...organisation, platform_id: ids['platform_id'] } })
  ids['sponsor_id'] = (await play('createSponsor', { given: { platform_id: ids['platform_id'] } })).id
  await play('updateSponsor')
  for (const status of ['ACTIVE', 'INACTIVE', 'ACTIVE']) await play('setSponsorStatus', { given: { status } })
  const plans = [{ ...PLAN, plan_code: kept.text('createBenefit/plan_code') }]
  const { benefit_provider_id, sponsor_id } = ids
  const benefit = { name: kept.text('createBenefit/name'), benefit_provider_id, sponsor_id, plans }
  ids['benefit_id'] = (await play('createBenefit', { given: benefit })).id
  const paid = {
    benefit_provider_id,
    sponsor_id,
    kind: 'TOP_UP',
    paid_on: new Date().toISOString().slice(0, 10),
    amount: PLAN.premium_amounts.annual,
  }
  await play('addDepositEntry', { given: { ...paid, reference: kept.text('addDepositEntry/reference') } })
  await play('setDepositLowBelow', { given: { amount: PLAN.premium_amounts.annual } })
  await play('updateBenefit', { given: { name: kept.text('updateBenefit/name'), plans } })

  const bank = { name: kept.text('createAccountProvider/name') }
  ids['account_provider_id'] = (await play('createAccountProvider', { given: bank })).id
  await play('updateAccountProvider', { given: { name: kept.text('updateAccountProvider/name') } })
  const reason = kept.text('setAccountProviderStatus/reason')
  for (const status of ['inactive', 'active']) await play('setAccountProviderStatus', { given: { status, reason } })
  const { id: other } = await play('createPlatform', { given: { name: kept.text('createPlatform/name') } })
  const disabled = { status: 'INACTIVE', reason: kept.text('setPlatformStatus/reason') }
  await play('setPlatformStatus', { ids: { platform_id: other }, given: disabled })

  const endpoint = { url: `${receiver.url}/${kept.text('createWebhookEndpoint/url')}`, event_types: ['*'] }
  ids['webhook_endpoint_id'] = (await play('createWebhookEndpoint', { given: endpoint })).id
  await play('updateWebhookEndpoint', { given: { ...endpoint, status: 'ACTIVE' } })
  await play('rotateWebhookSecret')
  ids['delivery_id'] = (await play('testWebhookEndpoint')).id
}

async function exchanged({ ask }: Player, basicToken: string): Promise<string> {
  const sending = { headers: { authorization: `Basic ${basicToken}` }, body: { grant_type: 'client_credentials' } }
  return (await ask('exchangeCredential', 'POST', '/v1/oauth/token', sending)).body.access_token
}

/** Everything that is written about one person, and read. All companies serve this person well. */
export async function playPerson(scene: Scene): Promise<void> {
  const { player, canaries, kept } = scene
  const { ids, play } = player
  await signUp(scene, 0)
  await playWallet(scene)
  const newPhone = { phone_country_code: '+91', phone_number: canaries.phone(9) }
  await play('updateUser', {
    as: 'platform',
    given: { ...newPhone, address: canaries.text('updateUser/address as text') },
  })
  await play('updateUser', { as: 'user', given: NOT_BY_USERS })
  await play('setUserReference')
  ids['dependant_id'] = (await play('createDependants')).data[0].id
  ids['dependant_id'] = (await play('updateDependant')).id
  await playPolicy(scene)

  ids['account_id'] = (await play('createAccount', { given: { account_type: 'HSA' } })).id
  await play('setAccountStatus', { given: { status: 'INACTIVE' } })
  const { benefit_provider_id } = ids
  ids['consultation_id'] = (await play('createConsultation', { given: { benefit_provider_id } })).id
  for (const as of ['user', 'provider'] as const) await play('createMessage', { as })
  await play('setConsultationStatus', { given: { status: 'CLOSED' } })

  await playConsents(scene)
  const booking = (operation: string) => ({ amount: 100, reference: kept.text(`${operation}/reference`) })
  const credit = await play('creditWallet', { given: { ...booking('creditWallet'), refund_of: null } })
  await play('debitWallet', { given: { ...booking('debitWallet'), refund_of: credit.id } })
  const nothing = {
    phone_country_code: null,
    phone_number: null,
    id_proof: null,
    external_policy_id: null,
    employee_number: null,
    platform_id: null,
  }
  await play('retryWallets', { given: { user_ids: null } })
  await play('searchUsers', { given: { ...nothing, ...newPhone } })
  const number = canaries.text('issueToken/id_proof/number')
  await play('searchUsers', {
    as: 'owner',
    given: { ...nothing, id_proof: { number }, platform_id: ids['platform_id'] },
  })
  await play('searchUsers', {
    given: { ...nothing, external_policy_id: kept.text('setInsurancePolicyStatus/external_policy_id') },
  })
  await play('searchUsers', {
    given: { ...nothing, employee_number: canaries.text('setUserReference/employee_number') },
  })
  const policyNumber = kept.text('setInsurancePolicyStatus/external_policy_id')
  const noNumber = { external_policy_id: null, master_policy_number: null, policy_number: null }
  for (const number of ['external_policy_id', 'policy_number'])
    await play('searchInsurancePolicies', { given: { ...noNumber, [number]: policyNumber } })
}

/** What the platform says to people, what the person agrees to, and what they ask for. */
async function playConsents({ player, kept }: Scene): Promise<void> {
  const { ids, play } = player
  const said = (member: string) => kept.text(`setNotice/${member}`)
  const link = (member: string) => `https://app.example.com/${said(member)}`
  Object.assign(ids, { version: '2027-05', language: 'en' })
  await play('setNotice', {
    given: {
      items: [{ data: said('data'), purpose: said('purpose'), service: said('service') }],
      withdraw_url: link('withdraw_url'),
      rights_url: link('rights_url'),
      complaint_url: link('complaint_url'),
      contact: said('contact'),
      text: said('text'),
    },
  })
  const notice = { notice_version: '2027-05', language: 'en' }
  const consent = { purpose: 'insurance', given_by: 'SELF', verified_by: null, dependant_id: null, basis: 'CONSENT' }
  ids['consent_id'] = (await play('giveConsent', { given: { ...notice, ...consent } })).id
  const rule = { ground: 'LEGITIMATE_USE', section: null, from: '2026-04-01' }
  const rules = { insurance: rule, children: rule, care: rule, wallet: rule, accounts: rule, response_days: 30 }
  await play('setConsentRules', { given: rules })
  ids['request_id'] = (await play('createRightsRequest', { given: { kind: 'ACCESS', dependant_id: null } })).id
  await play('setRightsRequestState', { given: { state: 'IN_PROGRESS' } })
  await play('withdrawConsent')
}

const NOT_BY_USERS = {
  gender: null,
  title: null,
  phone_country_code: null,
  phone_number: null,
  dob: null,
  first_name: null,
  last_name: null,
}

async function playPolicy({ player, canaries, kept }: Scene): Promise<void> {
  const { ids, play } = player
  const { benefit_id, dependant_id } = ids
  const enrolment = {
    benefit_id,
    plan_code: kept.text('createBenefit/plan_code'),
    start_date: '2026-04-01',
    end_date: null,
  }
  const covering = { dependant_ids: [dependant_id], nominee_details: { dependant_id } }
  const policy = await play('enrolInsurancePolicy', { given: { ...enrolment, ...covering } })
  ids['insurance_policy_id'] = policy.id
  const numbers = {
    external_policy_id: kept.text('setInsurancePolicyStatus/external_policy_id'),
    master_policy_number: kept.text('setInsurancePolicyStatus/master_policy_number'),
  }
  for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) {
    await play('setInsurancePolicyStatus', { given: { status, plan_terms: null, ...numbers } })
  }
  await play('setInsurancePolicyNominee', { given: { nominee_details: null } })
  await play('listInsurancePolicyMembers')
  const { data } = await play('listEndorsements')
  ids['endorsement_id'] = data[0].id
  await play('setEndorsementState', {
    as: 'provider',
    given: {
      state: 'ACCEPTED',
      on: null,
      amount: null,
      provider_reference: kept.text('setEndorsementState/provider_reference'),
    },
  })
  const days = { from: null, to: '2027-03-20', event: 'AGE', event_on: null, relation: 'CHILD', gender: 'MALE' }
  await play('setInsurancePolicyMember', { given: days })
  await play('setInsurancePolicyMember', { given: { ...days, to: null } })
  await play('searchMembers', { given: { master_policy_number: numbers.master_policy_number, on: '2026-06-01' } })
  await play('searchEndorsements', {
    given: { master_policy_number: numbers.master_policy_number, from: null, to: null },
  })
  await play('setInsurancePolicyEnd', { given: { on: '2027-03-31', code: 'LEFT', amount: null } })
  await play('withdrawInsurancePolicyEnd')
  const [document_type, member_id] = ['policy_certificate', 'self']
  Object.assign(ids, { document_type, member_id })
  for (const document of ['policy_certificate', 'enrollment_form', 'customer_information_sheet']) {
    await play('downloadDocument', { ids: { document_type: document } })
  }
  await play('downloadHealthCard', { ids: { member_id: dependant_id ?? '' } })
  const file = smallPdf(canaries.text('uploadDocument')).toString('latin1')
  const list = `first_name,phone_country_code,phone_number\r\n${canaries.text('createImport')},+91,${canaries.phone(7)}\r\n`
  await play('createImport', { file: list, query: '?kind=users', headers: { 'content-type': 'text/csv' } })
  const members = `external_policy_id,first_name,last_name,date_of_birth\r\nX-1,${canaries.text('createComparison')},Example,1990-05-17\r\n`
  const compared = { query: '?kind=members&master_policy_number=MP-1', headers: { 'content-type': 'text/csv' } }
  await play('createComparison', { as: 'provider', file: members, ...compared })
  await play('uploadDocument', { file })
  await play('uploadHealthCard', { file })
}

/** One person: token, profile, sign-in to the wallet, wallet. What each company does with them follows from their number. */
export async function signUp({ player, canaries, companies }: Scene, index: number): Promise<void> {
  const { ids, play, tokens } = player
  const phone = { phone_country_code: '+91', phone_number: canaries.phone(index) }
  const id_proof = { number: `${canaries.text('issueToken/id_proof/number')}${index || ''}` }
  const issued = await play('issueToken', { given: { ...phone, id_proof } })
  Object.assign(ids, { user_id: issued.user_id })
  tokens.user = issued.access_token
  tokens.user = (await play('completeOnboarding', { as: 'user' })).access_token
  const { platform_id } = ids
  const { challenge_id } = await play('requestOtp', { given: { ...phone, platform_id } })
  const otp = await eventually(
    async () => companies.codeOf(`+91${phone.phone_number}`),
    (code) => code !== undefined,
  )
  const pair = await play('verifyOtp', { given: { challenge_id, otp } })
  tokens.wallet_user = pair.access_token
  ids['wallet_id'] = (await play('createWallet')).partner_wallet_id
  ids['refresh_token'] = pair.refresh_token
}

/** The wallet works; its session is renewed and ended, and its operator reports. */
async function playWallet({ player, operatorSecret }: Scene): Promise<void> {
  const { ids, play, ask, tokens } = player
  const status = async () =>
    (
      await ask('readWalletStatus', 'GET', `/wallet/v1/wallet/${ids['wallet_id']}/status`, {
        token: tokens.wallet_user ?? '',
      })
    ).body
  await eventually(status, ({ wallet_status }) => wallet_status === 'COMPLETED')
  const pair = await play('refreshWalletToken', { given: { refresh_token: ids['refresh_token'] } })
  tokens.wallet_user = pair.access_token
  const event = { event_id: 'evt-1', reference: ids['wallet_id'], status: 'ACTIVE', sequence: 2 }
  const body = JSON.stringify(event)
  const time = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', operatorSecret).update(`${time}.${body}`).digest('hex')
  const headers = { 'operator-signature': `t=${time},v1=${signature}` }
  const reported = await ask('receiveOperatorEvent', 'POST', '/wallet/v1/operator/events', { headers, body: event })
  assert.equal(reported.status, 200, reported.text)
}
