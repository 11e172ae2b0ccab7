import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unpackPackages } from '../support/debian-packages.ts'
import { globalSetup as startDatabase, globalTeardown } from '../support/global-setup.ts'

export { globalTeardown }

const INSTALLED = '/usr/bin/promtool'

/** Starts a database and fetches promtool for the run; tests find both in the environment. */
export async function globalSetup(): Promise<void> {
  process.env['BANYAN_TEST_PROMTOOL'] = existsSync(INSTALLED)
    ? INSTALLED
    : join(await unpackPackages(['prometheus']), INSTALLED)
  await startDatabase()
}
