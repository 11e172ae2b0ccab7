const RUPEES = /^(-)?(\d{1,14})(?:\.(\d{1,2}))?$/
const PAISE_A_RUPEE = 100

/**
 * An amount of money, kept as a whole number of paise. The service writes premiums in rupees and wallets in paise; here
 * both are `Money`, so neither can be taken for the other.
 */
export class Money {
  readonly currency: string
  /** The amount in minor units, always a whole number. */
  readonly paise: number

  private constructor(paise: number, currency: string) {
    if (!Number.isSafeInteger(paise)) throw new RangeError('An amount is a whole number of paise')
    this.paise = paise === 0 ? 0 : paise // no negative zero
    this.currency = currency
  }

  static paise(paise: number, currency = 'INR'): Money {
    return new Money(paise, currency)
  }

  /** Takes text such as `500` or `499.50`, because a number such as 0.1 + 0.2 is not what it looks like. */
  static rupees(text: string, currency = 'INR'): Money {
    const [, sign, rupees, paise = ''] = RUPEES.exec(text) ?? []
    if (rupees === undefined) throw new RangeError("Rupees are text with at most two decimals, such as '499.50'")
    const amount = Number(rupees) * PAISE_A_RUPEE + Number(paise.padEnd(2, '0'))
    return new Money(sign ? -amount : amount, currency)
  }

  plus(other: Money): Money {
    return new Money(this.paise + other.#in(this.currency), this.currency)
  }

  minus(other: Money): Money {
    return new Money(this.paise - other.#in(this.currency), this.currency)
  }

  times(count: number): Money {
    return new Money(this.paise * count, this.currency)
  }

  /** Negative when this amount is less than the other, 0 when they are equal: for `sort`. */
  compareTo(other: Money): number {
    return this.paise - other.#in(this.currency)
  }

  equals(other: Money): boolean {
    return this.currency === other.currency && this.paise === other.paise
  }

  /** The amount in rupees as text: `499.50`. */
  get rupees(): string {
    const digits = String(Math.abs(this.paise)).padStart(3, '0')
    return `${this.paise < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
  }

  /** For people: `₹1,23,456.00`. */
  format(locale = 'en-IN'): string {
    // Text, not a number, so that no digit is lost.
    return new Intl.NumberFormat(locale, { style: 'currency', currency: this.currency }).format(
      this.rupees as `${number}`,
    )
  }

  toString(): string {
    return `${this.currency} ${this.rupees}`
  }

  toJSON(): { currency: string; paise: number } {
    return { currency: this.currency, paise: this.paise }
  }

  #in(currency: string): number {
    if (currency !== this.currency) throw new RangeError(`${this.currency} is not ${currency}`)
    return this.paise
  }
}
