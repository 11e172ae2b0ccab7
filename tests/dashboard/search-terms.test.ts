import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { termsIn } from '../../dashboard/src/screens/search/terms.ts'

const kindsOf = (text: string) => Object.keys(termsIn(text)).toSorted()

describe('what a text can be that somebody searches for', () => {
  it('a phone, however its digits are grouped, with or without a dial code', () => {
    for (const text of ['9812345678', '98123 45678', '+919812345678', '+91 98123-45678'])
      assert.deepEqual(termsIn(text).phone, { phone_country_code: '+91', phone_number: '9812345678' }, text)
    assert.deepEqual(termsIn('+44 7700 900123').phone, { phone_country_code: '+44', phone_number: '7700900123' })
    assert.deepEqual(termsIn('+447700900123'), {}, 'where the dial code ends is not known')
  })

  it('a policy number as it is written, printed in any spelling, or an id', () => {
    for (const text of ['AB 12/34 77', 'YSZX-X6GZ-GVV0', 'yszxx6gzgvv0'])
      assert.deepEqual([termsIn(` ${text} `).policyNumber, termsIn(text).groupNumber], [text, text])
    assert.equal(termsIn('YSZX-XGZG-VVXX').policyNumber, 'YSZX-XGZG-VVXX', 'without a digit')
    assert.deepEqual(kindsOf('pol_06bnv3m2r8f1s4k7q9t3v6w0y2'), ['policyNumber'])
  })

  it('the number of a person, which can be an identity number too', () => {
    assert.deepEqual(kindsOf('0123 4567 8901'), [
      'employeeNumber',
      'groupNumber',
      'idProof',
      'personId',
      'phone',
      'policyNumber',
    ])
    assert.equal(termsIn('0123 4567 8901').personId, '012345678901')
    assert.equal(termsIn('abcde 1234 f').idProof, 'ABCDE1234F')
    assert.equal(termsIn(' EMP-004711').employeeNumber, 'EMP-004711')
  })

  it('the id of another record, a part of a name, or nothing', () => {
    assert.deepEqual(kindsOf('spn_06bnv3m2r8f1s4k7q9t3v6w0y2'), ['recordId'])
    assert.deepEqual(termsIn('Demo Platf'), { name: 'demo platf' })
    assert.deepEqual(termsIn('  '), {})
  })
})
