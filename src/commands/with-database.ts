import type { withDatabase as run } from '../boot/database.ts'

/** As `withDatabase` of boot, which is loaded when a command runs: its help does without the driver. */
export const withDatabase: typeof run = async (...args) => (await import('../boot/database.ts')).withDatabase(...args)
