import { createSecretKey } from 'node:crypto'
import { type Hasher, seal, unseal, type Vault } from '../../../kernel/crypto/vault.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { hostCookie, noHostCookie } from '../../../kernel/http/cookies.ts'
import type { Flow } from './identity-provider.ts'

export const FLOW_COOKIE = '__Host-banyan_login'
const FLOW_SECONDS = 600
const ROW = 'login'

/** A login in progress, with the page to return to. */
type LoginFlow = Flow & { returnTo: string }

type Sealed = LoginFlow & { expires_ms: number }

/**
 * Keeps logins in progress in the browser that began them, sealed: only that browser can finish them, and beginning
 * many does not fill our database.
 */
export function loginFlow(vault: Vault, clock: Clock) {
  const deriveKey = (hasher: Hasher) => createSecretKey(hasher.blindIndex('login_flow_key', ''))
  return {
    cookieOf(flow: LoginFlow): string {
      const expires_ms = clock.now().getTime() + FLOW_SECONDS * 1000
      return hostCookie(
        FLOW_COOKIE,
        seal(deriveKey(vault), ROW, { ...flow, expires_ms } satisfies Sealed),
        FLOW_SECONDS,
      )
    },
    /** Returns undefined for a foreign or expired cookie. */
    read(cookie: string): LoginFlow | undefined {
      for (const hasher of vault.hashers) {
        try {
          const { expires_ms, ...flow } = unseal<Sealed>(deriveKey(hasher), ROW, cookie)
          return clock.now().getTime() < expires_ms ? flow : undefined
        } catch {
          // Browsers can send anything.
        }
      }
      return undefined
    },
    noCookie: noHostCookie(FLOW_COOKIE),
  }
}
