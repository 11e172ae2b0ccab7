import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Money } from '../../client/src/money.ts'
import { rupeesIn } from '../../dashboard/src/parts/rupees.ts'

/** Every text of so many characters at most. */
function* textsOf(characters: string, length: number): Generator<string> {
  yield ''
  if (length > 0)
    for (const rest of textsOf(characters, length - 1)) for (const character of characters) yield rest + character
}

/** Every spelling of an amount: plain or grouped, as in India or in the west, with as many decimals as it needs or more. */
function spellingsOf({ rupees, paise }: Money): Set<string> {
  const [whole = '', decimals = ''] = rupees.split('.')
  const groupings = ['en-IN', 'en-US'].map((locale) => BigInt(whole).toLocaleString(locale))
  const endings = [`.${decimals}`, ...(paise % 10 === 0 ? [`.${decimals[0]}`] : []), ...(paise % 100 === 0 ? [''] : [])]
  return new Set([whole, ...groupings].flatMap((grouped) => endings.map((ending) => grouped + ending)))
}

const COMMAS = ['12,50', '1,5', '10,0', '1,2,3', ',5', '1,,000', '1.234,50', '1,250,', '12,345,67', '1,2345', '0,500']
const SIGNS = ['', '₹', '.5', '5.', '1.234', '1.2.3', '1 250', '-5', '+5', '1e3', '0x10', '007', 'Rs 500', '500/-']
const OTHERS = ['१२', '５', '1'.repeat(14), '1,000\u202E', '1\u00A0250', '∞', 'NaN']
const REFUSED = [COMMAS, SIGNS, OTHERS].flat()

describe('an amount that somebody types', () => {
  it('is read with the commas of India or of the west, with a point before the paise, and nothing else', () => {
    for (const [text, rupees] of [
      ['1250', '1250.00'],
      ['1,250', '1250.00'],
      ['1,23,456.5', '123456.50'],
      ['123,456.50', '123456.50'],
      ['₹ 1,250.00', '1250.00'],
      [' 12.50 ', '12.50'],
      ['0', '0.00'],
      ['99,99,99,99,99,999.99', '9999999999999.99'],
    ] as const) {
      const read = rupeesIn(text)
      assert(read !== undefined, text)
      assert.equal(Money.rupees(read).rupees, rupees, text)
    }
  })

  it('is refused where a comma could stand for a point, or nobody can say what is meant', () => {
    for (const text of REFUSED) assert.equal(rupeesIn(text), undefined, text)
  })

  it('is one of the spellings of its amount, in every text of seven characters, and every other text is refused', () => {
    let read = 0
    for (const text of textsOf('01,.', 7)) {
      const rupees = rupeesIn(text)
      if (rupees !== undefined) assert(spellingsOf(Money.rupees(rupees)).has(text), text)
      if (rupees !== undefined) read++
    }
    const spelled = new Set<string>()
    for (const digits of textsOf('01', 7))
      for (const decimals of ['', ...textsOf('01', 2)])
        if (/^(?:0|1\d*)$/.test(digits))
          for (const text of spellingsOf(Money.rupees(decimals === '' ? digits : `${digits}.${decimals}`)))
            if (text.length <= 7) spelled.add(text)
    const wanted = [...spelled].filter((text) => /^[01,.]*$/.test(text))
    for (const text of wanted) assert(rupeesIn(text) !== undefined, text)
    assert.equal(read, wanted.length)
  })

  it('is the amount that the dashboard shows for it, and what it shows can be typed again', () => {
    const random = (max: number) => Math.floor(Math.random() * max)
    for (let tries = 0; tries < 2_000; tries++) {
      const amount = Money.paise(random(10 ** (1 + random(15))))
      for (const text of [...spellingsOf(amount), amount.format(), `₹ ${amount.rupees}`]) {
        const rupees = rupeesIn(text)
        assert(rupees !== undefined, text)
        assert.equal(Money.rupees(rupees).format(), amount.format(), text)
      }
    }
  })
})
