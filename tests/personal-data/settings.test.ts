import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError, loadErasureConfig } from '../../src/settings/config.ts'

describe('erasure settings', () => {
  it('default to eight years of retention under the Companies Act and no notice', () => {
    const { erasure } = loadErasureConfig({})
    const term = { years: 8, law: 'Companies Act, 2013, section 128(5)' }
    assert.deepEqual(erasure, { noticeHours: 0, terms: { ledger: term, policies: term } })
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
