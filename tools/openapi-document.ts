import type { AppSettings } from '../src/app.ts'
import { buildApp } from '../src/app.ts'
import { VERSION } from '../src/settings/config.ts'
import type { Deps } from '../src/record/index.ts'
import { createLog } from '../src/kernel/log.ts'

/** The origin that the committed documents name; a running server puts its own in this place. */
export const ORIGIN = 'http://localhost:8080'

/** The OpenAPI document of this version, made from the routes alone: no database, no keys, no network. */
export async function openApiDocument(origin = ORIGIN): Promise<Record<string, unknown>> {
  const deps: Deps = {
    production: true,
    db: untouched<Deps['db']>('db', { batching: true }),
    vault: untouched('vault'),
    clock: untouched('clock'),
    calendar: untouched('calendar'),
    tokens: untouched('tokens'),
    cards: untouched('cards'),
    consentRules: untouched('consentRules'),
    limits: untouched('limits'),
    deadlines: untouched('deadlines'),
    rates: untouched('rates'),
    uses: untouched('uses'),
    walletLimits: untouched('walletLimits'),
    erasure: untouched('erasure'),
    targets: untouched('targets'),
    storage: untouched('storage'),
    typesetter: untouched('typesetter'),
    inspector: untouched('inspector'),
  }
  const settings: AppSettings = {
    origin,
    version: VERSION,
    trustedProxies: 0,
    adminApiKeys: [],
    walletTokens: untouched('walletTokens'),
    operator: untouched('operator'),
    login: null,
    revocations: untouched('revocations'),
    webOrigins: untouched('webOrigins'),
    cardChecks: untouched('cardChecks'),
    audit: { reads: untouched('reads'), requirePurpose: false },
    metrics: untouched<AppSettings['metrics']>('metrics', { counter: () => () => {} }),
    log: createLog('silent'),
  }
  const app = buildApp(deps, settings)
  try {
    return app.document()
  } finally {
    await app.close()
  }
}

/**
 * Returns a placeholder for a dependency: only the given members may be used while routes are declared, any other
 * throws.
 */
function untouched<T extends object>(name: string, members: Partial<T> = {}): T {
  return new Proxy(members as T, {
    get: (target, member) => {
      if (Object.hasOwn(target, member)) return target[member as keyof T]
      throw new Error(`${name}.${String(member)} was used while the routes were declared`)
    },
  })
}
