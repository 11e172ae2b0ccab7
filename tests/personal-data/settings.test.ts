import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { ConfigError, loadErasureConfig } from '../../src/settings/config.ts'

/** A new public key as PEM. */
function publicPem(kind: 'rsa' | 'ec', modulusLength = 3_072): string {
  const keys =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return keys.publicKey.export({ type: 'spki', format: 'pem' }).toString()
}

describe('erasure settings', () => {
  it('default to eight years of retention under the Companies Act and no notice', () => {
    const { erasure } = loadErasureConfig({})
    const term = { years: 8, law: 'Companies Act, 2013, section 128(5)' }
    assert.deepEqual(erasure, { noticeHours: 0, holdDays: 0, holdKey: null, terms: { ledger: term, policies: term } })
  })

  it('take a public key for a hold, whatever the days, and no private one', () => {
    const pem = publicPem('rsa')
    const held = loadErasureConfig({ ERASURE_HOLD_DAYS: '365', ERASURE_HOLD_KEY: `\n${pem}` }).erasure
    assert.deepEqual([held.holdDays, held.holdKey?.type], [365, 'public'])
    const again = loadErasureConfig({ ERASURE_HOLD_KEY: pem }).erasure
    assert.deepEqual([again.holdDays, again.holdKey?.asymmetricKeyDetails?.modulusLength], [0, 3_072])

    const refused = (environment: Record<string, string>, message: RegExp) =>
      assert.throws(
        () => loadErasureConfig(environment),
        (error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes('BEGIN'),
      )
    refused({ ERASURE_HOLD_DAYS: '1' }, /^ERASURE_HOLD_KEY must be set when ERASURE_HOLD_DAYS is more than 0\.$/)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 })
    const plain = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const closed = privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
      .toString()
    const old = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    for (const ERASURE_HOLD_KEY of [plain, closed, old, plain + pem])
      for (const ERASURE_HOLD_DAYS of ['0', '365'])
        refused(
          { ERASURE_HOLD_DAYS, ERASURE_HOLD_KEY },
          /^ERASURE_HOLD_KEY is a private key, which belongs on no server/,
        )
  })

  it('accept years together with the law that requires them', () => {
    const { erasure } = loadErasureConfig({
      ERASURE_NOTICE_HOURS: '48',
      RETAIN_LEDGER: '5 years: Prevention of Money-laundering Act, 2002, section 12',
      RETAIN_POLICY_NUMBERS: '1 year: A licence',
    })
    assert.equal(erasure.noticeHours, 48)
    assert.deepEqual(erasure.terms.ledger, { years: 5, law: 'Prevention of Money-laundering Act, 2002, section 12' })
    assert.deepEqual(erasure.terms.policies, { years: 1, law: 'A licence' })
  })

  for (const [name, values] of Object.entries({
    RETAIN_LEDGER: ['8', '8 years', '8 years: ', '4 years: Some Act', '51 years: Some Act', 'eight years: Some Act'],
    RETAIN_POLICY_NUMBERS: ['0 years: Some Act', '-1 years: Some Act', 'Some Act'],
    ERASURE_NOTICE_HOURS: ['-1', '721', 'two days'],
    ERASURE_HOLD_DAYS: ['-1', '3651', 'a year'],
    ERASURE_HOLD_KEY: [
      'a key',
      publicPem('rsa', 2_048),
      publicPem('ec'),
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    ],
  })) {
    it(`reject ${name} without a number in its range, or without a law, in a sentence that names it`, () => {
      for (const value of values) {
        assert.throws(
          () => loadErasureConfig({ [name]: value }),
          (error) => error instanceof ConfigError && error.message.startsWith(`${name} must be `),
        )
      }
    })
  }
})
