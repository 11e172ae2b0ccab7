import type { VaultConfig } from '../settings/read-master-keys.ts'
import { createTokens, type Tokens } from '../access/tokens.ts'
import { BASE_PATH, type TokenConfig, WALLET_BASE_PATH } from '../settings/config.ts'
import type { Clock } from '../kernel/clock.ts'
import { loadMasterKeys } from '../kernel/crypto/master-key-source.ts'
import type { VaultKeys } from '../kernel/crypto/vault.ts'

export const loadVaultKeys = async ({ keys, masterKeySource, sealing }: VaultConfig): Promise<VaultKeys> => ({
  hashKeys: keys.hashKeys,
  masterKeys: await loadMasterKeys(masterKeySource, keys.masterKeys),
  sealing,
})

export function mainTokens({ keys, origin }: TokenConfig, clock: Clock): Tokens {
  return createTokens({ keys: keys.signingKeys, issuer: origin, audience: `${origin}${BASE_PATH}`, clock })
}

/** Returns the tokens of the wallet interface; neither kind is accepted by the other interface. */
export function walletTokens({ keys, origin }: TokenConfig, clock: Clock): Tokens {
  const audience = `${origin}${WALLET_BASE_PATH}`
  return createTokens({ keys: keys.signingKeys, issuer: origin, audience, clock })
}
