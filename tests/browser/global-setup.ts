import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserServer, chromium } from 'playwright-core'
import { librariesIn, unpackPackages } from '../support/debian-packages.ts'
import { globalSetup as startDatabase, globalTeardown as stopDatabase } from '../support/global-setup.ts'

const INSTALLED = '/usr/bin/chromium'

let browser: BrowserServer | undefined

/** Starts a database and a browser for the run; tests find both in the environment. */
export async function globalSetup(): Promise<void> {
  await startBrowser()
  await startDatabase()
}

export async function globalTeardown(): Promise<void> {
  await stopBrowser()
  await stopDatabase()
}

/** The machine's own, or Debian's, downloaded and unpacked. Running as root, as in containers, it has no sandbox. */
export async function startBrowser(): Promise<void> {
  const root = existsSync(INSTALLED) ? undefined : await unpackPackages(['chromium'])
  browser = await chromium.launchServer({
    executablePath: root === undefined ? INSTALLED : join(root, 'usr/lib/chromium/chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: root === undefined ? '' : librariesIn(root) },
    chromiumSandbox: false,
  })
  process.env['BANYAN_TEST_CHROMIUM'] = browser.wsEndpoint()
}

export const stopBrowser = async (): Promise<void> => browser?.close()
