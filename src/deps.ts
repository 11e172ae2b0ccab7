import type { CardTokens } from './access/card-tokens.ts'
import type { CredentialUses } from './access/authenticate.ts'
import type { ErasureSettings } from './access/erasure-settings.ts'
import type { Limits } from './access/limits.ts'
import type { RateLimits } from './access/rate-limits.ts'
import type { Tokens } from './access/tokens.ts'
import type { Clock } from './kernel/clock.ts'
import type { Vault } from './kernel/crypto/vault.ts'
import type { Database } from './kernel/db/database.ts'
import type { Targets } from './kernel/outbound/public-address.ts'
import type { PdfInspector } from './kernel/pdf-inspection/inspector.ts'
import type { Typesetter } from './kernel/pdf/typesetter.ts'
import type { Storage } from './kernel/storage/storage.ts'

/** What the domains work with. Opened once by whoever builds the app or the worker. */
export type Deps = {
  db: Database
  vault: Vault
  /** Real time: tokens, codes, limits. */
  clock: Clock
  /** The day that policies live by; in the sandbox it can be moved without ending everybody's tokens. */
  calendar: Clock
  tokens: Tokens
  cards: CardTokens
  /** How much is let in, and what counts the requests of callers. */
  limits: Limits
  rates: RateLimits
  /** When credentials were last used. */
  uses: CredentialUses
  /** After which notice people are erased, and what is kept for how long. */
  erasure: ErasureSettings
  /** Where addresses that partners name may lead. */
  targets: Targets
  storage: Storage
  typesetter: Typesetter
  inspector: PdfInspector
}
