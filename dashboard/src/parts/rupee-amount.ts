import { Money } from '@banyan/client'
import { rupeesIn } from './rupees.ts'

/** Returns the amount that somebody typed; undefined for what is none. */
export function amountIn(text: string): Money | undefined {
  const rupees = rupeesIn(text)
  return rupees === undefined ? undefined : Money.rupees(rupees)
}
