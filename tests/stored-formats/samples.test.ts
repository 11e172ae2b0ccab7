import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createCardTokens } from '../../src/access/card-tokens.ts'
import { decodeUserId } from '../../src/access/user-id.ts'
import { ADMINISTRATOR_PROFILE, ID_TOKEN } from '../../src/domains/administration/administrators/index.ts'
import { MESSAGE_TEXT } from '../../src/domains/care/consultations/index.ts'
import { hashIdentities } from '../../src/domains/people/dependants/hash-identity.ts'
import { DEPENDANT_PROFILE } from '../../src/domains/people/dependants/index.ts'
import { cardOfMember } from '../../src/domains/cover/documents/card-of-member.ts'
import { SNAPSHOT } from '../../src/domains/cover/documents/index.ts'
import { fileAddress } from '../../src/domains/cover/documents/store.ts'
import { DESCRIPTION } from '../../src/domains/money/ledger/index.ts'
import { onboardingDigests } from '../../src/domains/money/onboarding/onboarding-digests.ts'
import { END_REASON, PRIVATE } from '../../src/domains/cover/policies/index.ts'
import { SPONSOR_PROFILE } from '../../src/domains/partners/sponsors/index.ts'
import { hashIdProof, hashPhone } from '../../src/domains/people/users/to-identity.ts'
import { hashReference } from '../../src/domains/people/users/reference-store.ts'
import { REQUEST_TEXT } from '../../src/domains/people/rights-requests/index.ts'
import { CONSENT_PROOF } from '../../src/domains/privacy/consents/index.ts'
import { USER_PROFILE, USER_REFERENCE } from '../../src/domains/people/users/index.ts'
import { hashFile } from '../../src/domains/integration/imports/hash-file.ts'
import { IMPORTED_ROWS } from '../../src/domains/integration/imports/index.ts'
import { ENDPOINT_TEXTS } from '../../src/domains/integration/webhooks/index.ts'
import type { SealedColumn } from '../../src/kernel/crypto/sealed-column.ts'
import { unsealStream } from '../../src/kernel/crypto/sealed-stream.ts'
import { hashSecret, isWellFormedSecret, secretFrom } from '../../src/kernel/crypto/secrets.ts'
import { type DataKey, createVault } from '../../src/kernel/crypto/vault.ts'
import { CATALOGUE_REASON, USER_REASON } from '../../src/record/index.ts'
import { requestKey, RESPONSE } from '../../src/record/idempotency.ts'
import { SEALED_ROWS } from '../../src/data-map/formats.ts'
import { readSources } from '../support/sources.ts'

/*
 * Literals that earlier versions stored, under fixed keys. They are never changed: one that no longer opens, or is no longer
 * found, is the data of an installation. A new format gets a new line, and the former ones stay.
 */

const KEY = createSecretKey(Buffer.alloc(32, 7))
const VAULT = createVault({ masterKeys: [{ id: 'm1', key: Buffer.alloc(32, 1) }], hashKeys: [Buffer.alloc(32, 2)] })

const userId = decodeUserId('012345678901')
const text = (hash: Buffer) => hash.toString('base64url')

/** A column with its sealed samples, the present format first, and the value that each of them has. */
type Sample = { column: string; formats: number; samples: string[]; value: unknown; open: (sealed: string) => unknown }

function sampled<Value, At>(
  column: SealedColumn<Value, At>,
  { at, value, key = KEY }: { at: At; value: unknown; key?: DataKey },
  samples: string[],
): Sample {
  return { ...column, samples, value, open: (sealed) => column.unseal(key, at, sealed) }
}

const REASON = { entityId: 'pol_1', changeId: 'chg_1' }

const SAMPLES: readonly Sample[] = [
  sampled(
    IMPORTED_ROWS,
    { at: { uploadId: 'upl_1', chunk: 3 }, value: [{ number: 2, cells: { first_name: 'Asha' }, rowErrors: [] }] },
    [
      'SbUzIT4GpxpV8xNHz-YEX4KUULOOdxPnDgL8wZS8l1BPrPHzYkbsx1GpLFMaAJhs8PRg9TvcK2a-ctJyzAAIa8eOG0f30JLnaMJY4IOvS8hTMP1dkPI5',
    ],
  ),
  sampled(USER_PROFILE, { at: { id: userId }, value: { first_name: 'Asha' } }, [
    'nmkNnBmSr2adbj1RuVTtO0DCAix7oVpt3U2gUlRi1r0kncmCYeiggUoPWr1BKXelKg',
  ]),
  sampled(USER_REFERENCE, { at: { id: userId }, value: 'EMP-004711' }, [
    '04nJVILos5k6q5vcUYCiFPnoLiSUCVsvIa8l_DMYU_bewlL8OsAvdQ',
  ]),
  sampled(CONSENT_PROOF, { at: { userId, id: 'cst_1' }, value: 'Screen 4' }, [
    'TUWMFyvh-u8s60c69ylI7JYRn3vTMkejgMIHadEDuyLlWsaHoRc',
  ]),
  sampled(REQUEST_TEXT, { at: { userId, id: 'rrq_1' }, value: 'What is there?' }, [
    'gq_D8ZFbuK5XtESH1cPhxYoQzA1Fab3FCYadwTBOAcNuVjzmNSDJu5Ye_aI',
  ]),
  sampled(SPONSOR_PROFILE, { at: { id: 'spn_1' }, value: { name: 'Banyan Textiles' } }, [
    'lwY1XmwYwM7HBSOyTj9pdhtEdP7C_IXmtXsSMT4mPc3dbrcUKUj5S3-n_pCPNbaqGcqb05vQ',
  ]),
  sampled(DEPENDANT_PROFILE, { at: { userId, id: 'dep_1' }, value: { first_name: 'Ravi' } }, [
    'lzlK5yHCIWLpacWrs1Bjm3zPCE5QYDYrvwMlC2ogAslS51BFcgN8NI_pNEnYppK63g',
  ]),
  sampled(PRIVATE, { at: { userId, id: 'pol_1' }, value: { provider_metadata: { note: 'a' } } }, [
    '7clJ6Ko_GtOgkZoDoGULR8u3naJooZ0bBpEK14RiRxvlqznGdIMi0RgtHgHYmh1phtZCN_8VMUhrdwh9di4',
  ]),
  sampled(DESCRIPTION, { at: { userId, id: 'txn_1' }, value: 'May' }, ['8q2kmc868Q-Wuxll_F1ByHRLU04ncr3UNnsIajTFFI0E']),
  sampled(SNAPSHOT, { at: { userId, id: 'pol_1', issue: 1 }, value: { issue: 1 } }, [
    'onczhT7rnoXAC_DrTEB6hO4Xi33ycuFXwg_9nX1JXG7SbDY0F5Zt',
    'f_rLYGIx4lcGD5UJqj750JrJNmCvpZ9EgVAZ_M9D8RYZAqoK5S5-',
  ]),
  sampled(MESSAGE_TEXT, { at: { userId, consultationId: 'con_1', messageId: 'msg_1' }, value: { content: 'Hello' } }, [
    'mJwwMrjg1uq7CHciBt4MtWyOzWvQTjAUIm2WVFIkZfJZ1pxqzK7yd6uAorroWQ4',
    'BQeybgynRaHdvBDktGoMd_uJyYc7Xh-EU0nhAX-gCHe9hSp7Uub1nH0dIyZsJ0A',
  ]),
  sampled(USER_REASON, { at: { userId, ...REASON }, value: 'All is well' }, [
    'P-hZy7LHiVbw9oIWHfern8BREkub1tBrfQviSvjYkwFP71HKLjghyiU',
    '-86WiVMUBOr5XBBxjM1o6uQegMpDNPROJwOFTc7lKhsGHP0bjaHJ17E',
  ]),
  sampled(END_REASON, { at: { userId, policyId: 'pol_1', id: 'end_1' }, value: 'All is well' }, [
    '6rx54yL5dxQv8jEDWJ8zit3nvEx9Y5cBJuF8l9xFKuWxREd1l3CTmJU',
  ]),
  sampled(CATALOGUE_REASON, { at: { ...REASON, entityId: 'spn_1' }, value: 'All is well' }, [
    'z0oShUarzweau5xCAlmufXZWKaYPst_87J3qUAzx5GGlYTM6IkMW8wc',
    '2AUOwbbP7ltBNEaoanTOOXgrbwVDKdjnlcGzYcTKBK-yRh-Yc2AaVUA',
  ]),
  sampled(ADMINISTRATOR_PROFILE, { at: { id: 'adm_1' }, value: { name: 'Asha Example' } }, [
    'PuQzQQ4H1jJFWDvnKDEGqZSQYbbU1Ww69oyyFv0dvu6mDuOAh_2X4uzXHHEOjxdeovkF',
  ]),
  sampled(ID_TOKEN, { at: { id: 'ses_1' }, value: 'id-token' }, [
    'SLDTOvYgC8fqGouEEMjxtNB5HviTcP-UnlEXVduWT0hUEP4Xax8',
  ]),
  sampled(ENDPOINT_TEXTS.secret, { at: { endpointId: 'whe_1' }, value: 'whsec_1' }, [
    'r1eYngk-cuZuScASuk1zH_fBbSkLAEn7__Go5gJBIP21kKQmMA',
    'K-xQGtjXsunbgaoYcuJhQxibIMkX6tQ8GdOBJJOqX8AXtsrVOw',
  ]),
  sampled(ENDPOINT_TEXTS.previous_secret, { at: { endpointId: 'whe_1' }, value: 'whsec_1' }, [
    'bCNMhg319BKSdwLhOCSSUlDkV3H1bzZnUjWeaTgSyzspr5X74g',
    's192rTvwQabUheq5J7VatA-fBTT9a55RCK4pvgPnIMFvfknJyA',
  ]),
  sampled(ENDPOINT_TEXTS.sealed_description, { at: { endpointId: 'whe_1' }, value: 'Ours' }, [
    'aWRaV4GpUhIKhHQzK7iPhI8hHqz6Un5VfDMWH3ZpGpUbDQ',
  ]),
  sampled(
    RESPONSE,
    { at: { hash: Buffer.alloc(32, 9) }, key: createSecretKey(Buffer.from('key-1')), value: { body: { id: 'txn_1' } } },
    [
      'HIgNKJRhzOSlLHQIb2yABlaX2_oLMwW8OZEQ2_lsv7HFpoLjw_1ro8F-2eoOEDI-_mrP',
      'enLhKyVLtf6-WdxBWpWJi1BMhiCAOLLVpI6FBpQ9cngI1kU5cp-EXdnPKVOyQ-dQOJDG',
    ],
  ),
]

/** What is found by a keyed hash, or recognised by a keyed digest: its purpose, and a hash that an earlier version made. */
const LOOK_UPS: Record<string, [make: () => string, stored: string]> = {
  phone: [
    () => text(hashPhone(VAULT, { platformId: 'plt_1', phone: '+919876543210' })),
    'XiHz5_alEJ5srMzeR1rgbBDkJ45pGR5I8HUBBRMcLIQ',
  ],
  id_proof: [
    () => hashIdProof(VAULT, { platformId: 'plt_1', number: 'ABCDE1234F' }).map(text).join(' '),
    '86EfI73oVtd5v2nH5x_nB5a4ZCcrxN2T-uuP-eUDaXA',
  ],
  employee_number: [
    () => text(hashReference(VAULT, { platformId: 'plt_1', number: ' emp-004711 ' })),
    'AvrazTcn4zPbmqS9wXDFg6kAweCJJ8L0ip2X7IxZZQU',
  ],
  import: [
    () => text(hashFile(VAULT, { platformId: 'plt_1', kind: 'users', sha256: 'a'.repeat(64) })),
    'XJY7Zw4klzy7gEa4gc_kpRcKB5tDU8juJlYf_v-Fe2Y',
  ],
  'dependant:': [
    () => {
      const profile = { first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }
      return text(hashIdentities(VAULT, { userId, profile })[0].hash)
    },
    'hQlnjbs2oX7r4Nv3MPLwx3MtVYHpR5ZDKInUOBUxMzk',
  ],
  'health-card': [
    () => text(cardOfMember(VAULT, { userId, policyId: 'pol_1', memberId: 'self' }).hash),
    'WTpRMGVMcoY7ywf80W3o9g',
  ],
  'onboarding:': [
    () => {
      const bank_details = { account_number: '001234567890', ifsc_code: 'HDFC0000001' }
      const profile = {
        phone_country_code: '+91',
        phone_number: '9876543210',
        title: 'MS' as const,
        first_name: 'Asha',
        bank_details,
      }
      return text(onboardingDigests(VAULT, userId, profile)[0] as Buffer)
    },
    'YtHC0WkJUVToYikjmQ59c0CbFD-Yx1S-H77Q3NoT2UY',
  ],
  profile: [
    () => text(VAULT.digest('profile', { phone_number: '9876543210' })),
    '6DAQHbQS9FeFeda-zS0Uk3U5CSRwf3PrJUCOI_LhZb4',
  ],
  refresh_successor: [
    () => secretFrom('byn_rt', VAULT.blindIndex('refresh_successor', REFRESH_TOKEN)),
    'byn_rt_z4aeBunLra5aktUvyOJDFPe_tNz3EoE5rxAn8L9qBYU_09wmtxm',
  ],
  administrator_subject: [
    () => text(VAULT.blindIndex('administrator_subject', JSON.stringify(['https://id.example', 's1']))),
    'zEKFvL4ay6sgRgqIRAoh0gVaERkJsJQCkiikrtjle64',
  ],
  idempotency_key: [() => text(keyOf('/v1/x').hashed[0].hash), 'bfm3a8oaK_dMiG1Dbx0jt_5XjCqYq3Y87aUwtbg628E'],
  idempotent_request: [() => text(keyOf('/v1/x').hashed[0].digest), 'UwABMqdYmiFvGUoznUwbVk0bxr9Z0xquZYArELrNg_g'],
}

const REFRESH_TOKEN = 'byn_rt_BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU_1byx7yy'

const keyOf = (path: string) =>
  requestKey(VAULT, 'key-1', {
    caller: 'platform:plt_1',
    method: 'POST',
    addresses: [{ path, url: path }],
    body: { b: 1, a: [2] },
  })

/** Hashes that live for an hour at most, or in memory; a cursor of a list for a day, after which it is rejected anyway. */
const SHORT_LIVED = [
  'anonymous_address',
  'list_cursor',
  'login_flow_key',
  'otp',
  'otp_address',
  'otp_code',
  'otp_phone',
  'otp_wrong_code',
  'refresh_jti',
  'token_address',
]

describe('what an earlier version stored', () => {
  for (const { column, samples, value, open } of SAMPLES) {
    it(`opens: ${column}`, () => {
      for (const sample of samples) assert.deepEqual(open(sample), value, sample)
    })
  }

  it('opens: a value that was encrypted with XChaCha20-Poly1305, whatever encrypts now', () => {
    const sealed = 'x.jS9tt6pkUeE8Fyj8iET8Wj9WzoWi3emQNvUP-vb5FUFjYtZMOr5X1c3E72LYBAVTlyyteGlpAh1PPkzYGQ'
    assert.deepEqual(USER_PROFILE.unseal(KEY, { id: userId }, sealed), { first_name: 'Asha' })
    assert.throws(() => USER_PROFILE.unseal(KEY, { id: 'other' }, sealed), { code: 'unreadable' })
  })

  for (const [purpose, [make, stored]] of Object.entries(LOOK_UPS)) {
    it(`is found or recognised: ${purpose}`, () => assert.equal(make(), stored))
  }

  it('is found: the key of a booking, by operation', () => {
    const [former] = keyOf('/v1/users/012345678901/wallet/credits').former()
    assert.equal(text(former?.hash as Buffer), 'odNfg1mv11xHQ3rNCAAqHzzdFt2jkkhPx6VLQr8eSrI')
  })

  it('opens: a wrapped data key', () => {
    const wrapped = 'm1.e4RK2ghA6B3WHisVzRH_G1ff-sax8wfk0xN-qP_qz72EMMTTT5ucqf5sxfxF7v9ZIk0yud5vi1yx2z4z'
    assert.equal(text(VAULT.unwrap(wrapped).export()), '8nmQ9gMvRlye4eZ4yAcjKks_2TGB-tSlnE4rCesR7mM')
  })

  it('opens: an uploaded file', async () => {
    const file = 'Aat2bWRHKhr9TTqRmiugRvLUP6sckmdemZm68KCrd5GLu6auLQrXT-Es6UVecijLBzCBCbs0N6wEwfAAtncDsg'
    const bytes = (async function* () {
      yield Buffer.from(file, 'base64url')
    })()
    const opened = await buffer(unsealStream(KEY, fileAddress({ userId }, 'fil_1'), bytes))
    assert.equal(opened.toString(), '%PDF-1.7 sample')
  })

  it('is recognised: the secret of a credential, a refresh token, a session cookie', () => {
    const secret = 'byn_sec_BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU_0eelkp3'
    const cookie = 'byn_ads_BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU_118qk91'
    for (const [prefix, one] of Object.entries({ byn_sec: secret, byn_rt: REFRESH_TOKEN, byn_ads: cookie }))
      assert(isWellFormedSecret(prefix, one), one)
    assert.equal(text(hashSecret(secret)), 'PaJ_UuqPNjG5RBpXaA6Eu4XNa5Fa30f_sdWy9cTA11M')
    assert.equal(text(hashSecret(REFRESH_TOKEN)), 'Xkt4oB-GJzKFBETqfb_BYJA8VzZJlB50HtwBqebYU3g')
  })

  it('is recognised: the code on a printed health card, also one that was printed as a JWT', () => {
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 6)])
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const keys = [{ kid: 'k1', privateKey, publicKey: createPublicKey(privateKey) }] as unknown
    const cards = createCardTokens({ keys: keys as Parameters<typeof createCardTokens>[0]['keys'] })
    const printed =
      'eyJhbGciOiJFZERTQSIsInR5cCI6ImNhcmQrand0Iiwia2lkIjoiazEifQ.eyJzdWIiOiJXVHBSTUdWTWNvWTd5d2Y4MFczbzlnIn0' +
      '.6EDi7Iehc7q6yXsRiIGy_VfEz_7_G38p8b735mA-FhH1Z33leg85W33SfWha6Ry9Gono9ikn7qURVZUnKzZGBg'
    assert.equal(cards.read(printed), 'WTpRMGVMcoY7ywf80W3o9g')
    const short =
      'B4X52C359HS8CEYB0ZYD2VF8YSY118Y5ZECKN6XSF62DF8MTD0X29G7HY0V1ZD11' +
      'XVFS0SRH3QX3TY8KKA7ZSXS5CMS5TSYZ8PQ4VCZ8TH71F8X4F1CXYKVF1JG5ZX87'
    assert.equal(cards.read(short), 'WTpRMGVMcoY7ywf80W3o9g')
  })
})

describe('the samples', () => {
  const sources = readSources('src')
  const found = (pattern: RegExp) =>
    sources.flatMap(({ text: source }) => [...source.matchAll(pattern)].map(([, one]) => one as string))

  it('are of every sealed column, one for each of its formats', () => {
    const columns = found(/sealedColumn<[^(]*>\(\s*'(\w+\.\w+)'/g)
    assert.equal(
      columns.length,
      found(/\b(sealedColumn)[<(]/g).length - 1,
      'each use but its definition names its column',
    )
    assert.deepEqual(SAMPLES.map(({ column }) => column).toSorted(), columns.toSorted())
    for (const { column, formats, samples } of SAMPLES) assert.equal(samples.length, formats, column)
    for (const { column, samples, open } of SAMPLES)
      for (const sample of samples)
        assert.throws(() => open(`A${sample.slice(1, -1)}A`), { code: 'unreadable' }, column)
  })

  it('are of every column that is resealed', () => {
    const walked = SEALED_ROWS.map(({ column }) => column)
    const others = SAMPLES.map(({ column }) => column).filter((column) => !walked.includes(column))
    assert.deepEqual(others, ['idempotency_keys.sealed'])
  })

  it('are of every keyed hash that is stored', () => {
    const purposes = found(/(?:blindIndex|\.digest)\(['`]([\w:-]+)/g).filter(
      (one) => !/^(base64url|binary|hex)$/.test(one),
    )
    assert.deepEqual([...new Set(purposes)].toSorted(), [...Object.keys(LOOK_UPS), ...SHORT_LIVED].toSorted())
  })

  it('nothing is sealed alongside the columns, save a login for ten minutes', () => {
    const users = sources.filter(({ text: source }) => /\b(un)?seal\b[^']*from '[./a-z-]*\/vault\.ts'/.test(source))
    assert.deepEqual(
      users.map(({ path }) => path),
      ['src/domains/administration/administrators/login-flow.ts', 'src/kernel/crypto/sealed-column.ts'],
    )
  })
})
