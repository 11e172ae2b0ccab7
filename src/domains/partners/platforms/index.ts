import { createPlatform } from './create-platform.ts'
import { listPlatforms } from './list-platforms.ts'
import { readPlatform } from './read-platform.ts'
import { readWebOrigins } from './read-web-origins.ts'
import { setPlatformStatus } from './set-platform-status.ts'
import { readWalletLimits } from './read-wallet-limits.ts'
import { setWalletLimits } from './set-wallet-limits.ts'
import { setWebOrigins } from './set-web-origins.ts'

export { insertPlatform } from './create-platform.ts'
export { foreignPlatform, platformFilter, platformFilterErrors, scopeWithin } from './foreign-platform.ts'
export { PlatformPath } from './records.ts'
export { ACCOUNT_TYPES, type AccountType, PLATFORM_MACHINE, PLATFORM_STATUSES } from './states.ts'
export { hasPlatform, listPlatformIds, platformInPath, setInPath, raisePlatformEpoch } from './store.ts'

export const platformOperations = [
  createPlatform,
  listPlatforms,
  readPlatform,
  setPlatformStatus,
  readWebOrigins,
  setWebOrigins,
  readWalletLimits,
  setWalletLimits,
]
