import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Money } from '../../client/src/money.ts'
import { premiumOf } from '../../dashboard/src/parts/premium.ts'

const premium = (daily: string, annual: string, share: string) =>
  premiumOf({ daily: Money.rupees(daily), annual: Money.rupees(annual), share: Money.rupees(share) })

describe('the arithmetic of a premium as it is typed', () => {
  it('says what a year of the daily premium is, and what the person pays', () => {
    const { year, difference, person, sharePercent } = premium('33', '12045', '6022.50')
    assert.equal(year?.rupees, '12045.00')
    assert.equal(difference, undefined)
    assert.equal(person?.rupees, '6022.50')
    assert.equal(sharePercent, 50)
  })

  it('says by how much the year differs, and leaves nothing to pay when the sponsor gives more', () => {
    const { difference, person, isShareTooMuch } = premium('10', '3600', '4000')
    assert.equal(difference?.rupees, '-50.00')
    assert.equal(person?.rupees, '0.00')
    assert.equal(isShareTooMuch, true)
  })

  it('adds no tenth of a paisa, and says nothing of amounts that are not there yet', () => {
    assert.equal(premium('0.1', '0.3', '0.2').person?.rupees, '0.10')
    const { year, person, sharePercent } = premiumOf({ daily: undefined, annual: Money.rupees('1'), share: undefined })
    assert.deepEqual([year, person, sharePercent], [undefined, undefined, undefined])
  })
})
