/** A tier whose files `node:test` runs, each in a process of its own. */
export type Tier = {
  /** The longest time of a test, or of a whole file. */
  timeout_ms: number
  /** How many files run at once; 1 when it is not given. */
  files_at_once?: number
  /** Files to begin with, so that no run ends with one of them alone. */
  longest?: string[]
  /** Starts what the files share. */
  globalSetup?: string
}

/** By name: the files of `tests/<name>` that `npm run test:<name>` runs. */
export const TIERS: Readonly<Record<string, Tier>> = {
  alerts: { timeout_ms: 300_000, globalSetup: 'tests/alerts/global-setup.ts' },
  // One file keeps one and a half cores busy: more than two at once only take longer each.
  browser: {
    timeout_ms: 400_000,
    files_at_once: 2,
    longest: ['dashboard', 'docs-session', 'dashboard-shell', 'dashboard-desks', 'dashboard-person'],
    globalSetup: 'tests/browser/global-setup.ts',
  },
  deploy: { timeout_ms: 1_800_000 },
  dump: { timeout_ms: 300_000 },
  package: { timeout_ms: 1_800_000, globalSetup: 'tests/support/global-setup.ts' },
  s3: { timeout_ms: 60_000, globalSetup: 'tests/s3/global-setup.ts' },
  upgrade: { timeout_ms: 600_000 },
  world: { timeout_ms: 300_000 },
}
