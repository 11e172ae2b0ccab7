import type { CardTokens } from '../access/card-tokens.ts'
import type { ConsentRulesInMemory } from '../access/consent-rules.ts'
import type { CredentialUses } from '../access/authenticate.ts'
import type { ErasureSettings } from '../settings/read-erasure.ts'
import type { Deadlines } from '../settings/read-deadlines.ts'
import type { Limits } from '../settings/read-limits.ts'
import type { LimitsOfWallets } from '../access/wallet-limits.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import type { Tokens } from '../access/tokens.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Database } from '../kernel/db/database.ts'
import type { Targets } from '../kernel/outbound/public-address.ts'
import type { PdfInspector } from '../kernel/pdf-inspection/inspector.ts'
import type { Typesetter } from '../kernel/pdf/typesetter.ts'
import type { Storage } from '../kernel/storage/storage.ts'

/** The dependencies of the domains, created once by the app or the worker. */
export type Deps = {
  /** False where mistakes of an integration are named that strangers must not learn from. */
  production: boolean
  db: Database
  vault: Vault
  /** Real time: tokens, codes, limits. */
  clock: Clock
  /** The days of policies and people; the sandbox can change it without expiring everybody's tokens. */
  calendar: Clock
  tokens: Tokens
  cards: CardTokens
  /** The consent rules of platforms, in memory. */
  consentRules: ConsentRulesInMemory
  /** The configured limits, and the counters of callers' requests. */
  limits: Limits
  /** The days in which somebody should act. */
  deadlines: Deadlines
  rates: RateLimits
  uses: CredentialUses
  /** What the wallets of each platform may hold and book. */
  walletLimits: LimitsOfWallets
  /** The notice given before an erasure, and the retention terms. */
  erasure: ErasureSettings
  /** The allowed targets of URLs registered by partners. */
  targets: Targets
  storage: Storage
  typesetter: Typesetter
  inspector: PdfInspector
}

/** The dependencies of operations that print URLs of this installation. */
export type ApiDeps = Deps & { origin: string }
