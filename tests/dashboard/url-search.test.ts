import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { knownIn, parseUrlState, textIn, urlStateText } from '../../dashboard/src/parts/url-search.ts'

describe('the state of a screen in its address', () => {
  it('stands there as a person writes it, and is read back the same', () => {
    const text = '?status=PENDING&status=APPROVED&due=30'
    assert.deepEqual(parseUrlState(text), { status: ['PENDING', 'APPROVED'], due: '30' })
    assert.equal(urlStateText(parseUrlState(text)), text)
  })

  it('leaves out what is not set', () => {
    assert.equal(urlStateText({ status: [], due: '', after: undefined }), '')
  })

  it('ignores values that the screen does not know', () => {
    assert.deepEqual(knownIn(['PENDING', 'x'], ['PENDING', 'ISSUED']), ['PENDING'])
    assert.deepEqual(knownIn('ISSUED', ['PENDING', 'ISSUED']), ['ISSUED'])
    assert.equal(textIn(['a', 'b']), undefined)
  })
})
