import { createDecoder } from '../../../kernel/db/columns.ts'
import { CURRENCIES, type Currency } from '../../../kernel/money.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'

const decodeCurrency = createDecoder(CURRENCIES, 'currency')

/** Returns the currency of a snapshot: it is untyped JSON, so it is validated again. */
export const currencyOf = ({ premium }: PolicySnapshot): Currency => decodeCurrency(premium.currency)
