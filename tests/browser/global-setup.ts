import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { librariesIn, unpackPackages } from '../support/debian-packages.ts'
import { globalSetup as startDatabase, globalTeardown } from '../support/global-setup.ts'

export { globalTeardown }

/** Paths of the browser and of libraries it needs. */
export type Chromium = { executablePath: string; libraries: string }

const INSTALLED = '/usr/bin/chromium'

/** Starts a database and finds a browser for the run; tests find both in the environment. */
export async function globalSetup(): Promise<void> {
  process.env['BANYAN_TEST_CHROMIUM'] = JSON.stringify(await findChromium())
  await startDatabase()
}

/** The machine's own, or Debian's, downloaded and unpacked. */
export async function findChromium(): Promise<Chromium> {
  if (existsSync(INSTALLED)) return { executablePath: INSTALLED, libraries: '' }
  const root = await unpackPackages(['chromium'])
  return { executablePath: join(root, 'usr/lib/chromium/chromium'), libraries: librariesIn(root) }
}
