import type { Money } from '@banyan/client'

const DAYS_A_YEAR = 365

type Amounts = { daily: Money | undefined; annual: Money | undefined; share: Money | undefined }

/** What follows from the amounts of a plan; undefined where one is not there yet. */
export function premiumOf({ daily, annual, share }: Amounts) {
  const year = daily?.times(DAYS_A_YEAR)
  const person = annual && share && annual.minus(share)
  return {
    /** The daily premium for a year. The service stores both amounts as they are given. */
    year,
    difference: year && annual && !year.equals(annual) ? annual.minus(year) : undefined,
    /** What is left for the person, as the certificate states it: never less than nothing. */
    person: person && person.paise < 0 ? person.minus(person) : person,
    sharePercent: annual && share && annual.paise > 0 ? Math.round((share.paise / annual.paise) * 100) : undefined,
    isShareTooMuch: person !== undefined && person.paise < 0,
  }
}
