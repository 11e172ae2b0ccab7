import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  CHILDREN_HOLD_MS,
  CONSENT_PURPOSES,
  type ConsentRule,
  decideConsent,
  decideSelfConsent,
  findConsentProblem,
  isAdult,
  PURPOSE_OF,
} from '../../src/access/consent-rules.ts'
import { matrix } from '../../src/access/matrix.ts'
import { ROLE_TABLE } from './role-table.ts'

const RULE: ConsentRule = { ground: 'CONSENT', section: '6(1)', from: '2027-05-14' }
const at = new Date('2027-06-01T10:00:00Z')
const today = '2027-06-01'
const ago = (ms: number) => ({ at: new Date(at.getTime() - ms) })
const asked = { purpose: 'insurance', rule: RULE, today, at } as const
const HOUR_MS = 3_600_000

describe('what is new for a purpose', () => {
  it('is refused without consent from the day of the rule on, and names the purpose', () => {
    const problem = decideConsent(asked, undefined)
    assert.deepEqual(
      [problem?.status, problem?.code, problem?.members],
      [409, 'conflict', { reason: 'consent_missing', purpose: 'insurance' }],
    )
    assert(decideConsent({ ...asked, today: '2027-05-14' }, undefined))
    assert.equal(decideConsent({ ...asked, today: '2027-05-13' }, undefined), undefined)
  })

  it('passes without a rule, on the ground of a legitimate use, and with a consent however old', () => {
    assert.equal(decideConsent({ ...asked, rule: undefined }, undefined), undefined)
    assert.equal(decideConsent({ ...asked, rule: { ...RULE, ground: 'LEGITIMATE_USE' } }, undefined), undefined)
    assert.equal(decideConsent(asked, ago(3_650 * 24 * HOUR_MS)), undefined)
  })

  it('needs a consent for children of the last 24 hours', () => {
    const children = { ...asked, purpose: 'children' } as const
    assert.equal(decideConsent(children, ago(CHILDREN_HOLD_MS)), undefined)
    assert.deepEqual(decideConsent(children, ago(CHILDREN_HOLD_MS + 1))?.members, {
      reason: 'consent_missing',
      purpose: 'children',
    })
  })

  it('counts a person as adult on the birthday, one of 29 February on the 28th of a shorter one', () => {
    assert.deepEqual([isAdult('2009-06-01', today), isAdult('2009-06-02', today)], [true, false])
    assert.deepEqual([isAdult('2008-02-29', '2026-02-27'), isAdult('2008-02-29', '2026-02-28')], [false, true])
  })
})

describe('what begins for dependants', () => {
  const [adult, child] = [
    { id: 'dep_adult', born: '2009-06-01' },
    { id: 'dep_child', born: '2009-06-02' },
  ]
  const dependants = [adult, child]
  const of = { purpose: 'insurance', today, dependants } as const

  it('needs the consent of those who are 18 today, and names them', () => {
    const problem = decideSelfConsent(of, new Set(['dep_child']))
    assert.deepEqual(problem?.members, {
      reason: 'consent_missing',
      purpose: 'insurance',
      person_ids: ['dep_adult'],
    })
    assert.equal(decideSelfConsent(of, new Set(['dep_adult'])), undefined)
    assert.equal(decideSelfConsent({ ...of, today: '2027-05-31' }, new Set()), undefined)
  })

  it('reads nothing of dependants without a rule, before its day, and where all are children', async () => {
    const reads: string[] = []
    const context = (rule: ConsentRule | undefined, now: Date) => ({
      db: undefined as never,
      vault: undefined as never,
      calendar: { now: () => now },
      consentRules: {
        rulesOf: () => rule && { insurance: rule },
        findGiven: async () => (reads.push('user'), { at }),
        findSelfGiven: async () => (reads.push('dependants'), new Set<string>()),
      },
    })
    const ask = (rule: ConsentRule | undefined, begun = dependants, now = at) =>
      findConsentProblem(context(rule, now), 'enrolInsurancePolicy', {
        userId: '012345678901',
        platformId: 'plt_1',
        at,
        dependants: begun,
      })
    assert.equal(await ask(undefined), undefined)
    assert.equal(await ask({ ...RULE, ground: 'LEGITIMATE_USE' }), undefined)
    assert.equal(await ask(RULE, dependants, new Date('2027-05-13T10:00:00Z')), undefined)
    assert.deepEqual(reads, [])
    assert.equal(await ask(RULE, [child]), undefined)
    assert.deepEqual(reads, ['user'])
    assert.equal((await ask(RULE))?.code, 'conflict')
    assert.deepEqual(reads, ['user', 'user', 'dependants'])
  })
})

/** Why what these operations write is new for no purpose. */
const WHY_NOT: Record<string, readonly string[]> = {
  'sign a person in, or know them: the platform’s own purpose, before any that people consent to here': [
    'issueToken',
    'exchangeCredential',
    'requestOtp',
    'verifyOtp',
    'refreshWalletToken',
    'logOutOfWallet',
    'updateUser',
    'setUserReference',
    'endUserSessions',
  ],
  'go on with a policy that the person was enrolled in, or end it': [
    'setInsurancePolicyStatus',
    'setInsurancePolicyEnd',
    'withdrawInsurancePolicyEnd',
    'setInsurancePolicyNominee',
    'setEndorsementState',
    'assignInsurancePolicy',
    'releaseInsurancePolicy',
    'uploadDocument',
    'uploadHealthCard',
    'deleteDocumentUpload',
    'deleteHealthCardUpload',
  ],
  'go on with an account, a wallet or a consultation that the person has, or end it': [
    'setAccountStatus',
    'setConsultationStatus',
    'createMessage',
    'creditWallet',
    'debitWallet',
    'refreshWallet',
    'receiveOperatorEvent',
  ],
  'make the single calls for each row, each with its own check': ['createImport'],
  'are about consent and rights themselves': [
    'setNotice',
    'giveConsent',
    'withdrawConsent',
    'setConsentRules',
    'createRightsRequest',
    'setRightsRequestState',
    'eraseUser',
    'cancelErasure',
  ],
  'only look something up': [
    'createComparison',
    'searchUsers',
    'searchInsurancePolicies',
    'searchMembers',
    'searchEndorsements',
  ],
  'are about no person who is covered': [
    'createPlatform',
    'setPlatformStatus',
    'setWebOrigins',
    'setWalletLimits',
    'createPlatformCredential',
    'revokePlatformCredential',
    'createBenefitProviderCredential',
    'revokeBenefitProviderCredential',
    'createBenefitProvider',
    'updateBenefitProvider',
    'createSponsor',
    'updateSponsor',
    'setSponsorStatus',
    'addDepositEntry',
    'setDepositLowBelow',
    'createBenefit',
    'updateBenefit',
    'deleteBenefit',
    'createAccountProvider',
    'updateAccountProvider',
    'setAccountProviderStatus',
    'setAdministratorStatus',
    'endAdministratorSession',
    'createSessionToken',
    'logOut',
    'createWebhookEndpoint',
    'updateWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
    'replayWebhookDelivery',
    'replayWebhookEvents',
  ],
}
const READS = /^(?:read|list|export|preview|download|beginLogin|finishLogin)/

describe('the table of purposes', () => {
  it('has every operation that writes: with its purpose, or with the reason why it needs none', () => {
    const writing = Object.keys(matrix).filter((name) => !READS.test(name))
    const listed = [...Object.keys(PURPOSE_OF), ...Object.values(WHY_NOT).flat()]
    assert.deepEqual(listed.toSorted(), writing.toSorted())
    assert.equal(new Set(listed).size, listed.length)
    const calls = ROLE_TABLE.filter(({ method }) => method !== 'GET').length
    assert(writing.length >= calls, 'no operation that writes is taken for a read')
  })

  it('has an operation for every purpose', () => {
    assert.deepEqual([...new Set(Object.values<string>(PURPOSE_OF))].toSorted(), CONSENT_PURPOSES.toSorted())
  })
})
