import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasMore, lowered } from '../../dashboard/src/api/new-work-counts.ts'

describe('the mark that something new waits', () => {
  it('is there when more of a kind waits than was seen', () => {
    assert.equal(hasMore({ applications: 3, consultations: 1 }, { applications: 3, consultations: 2 }), true)
    assert.equal(hasMore({ applications: 3 }, { applications: 3 }), false)
  })

  it('is not there for what was never counted before, or has become less', () => {
    assert.equal(hasMore({}, { applications: 3 }), false)
    assert.equal(hasMore({ applications: 3 }, { applications: 2 }), false)
  })

  it('is there for one that comes after others went', () => {
    const known = lowered({ applications: 3 }, { applications: 1 })
    assert.equal(hasMore(known, { applications: 2 }), true)
  })
})
