import { after } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Chromium } from './global-setup.ts'

/** Rendering a page with a hundred operations takes time on a busy machine. */
const TIMEOUT_MS = 90_000

let browser: Promise<Browser> | undefined

/** The browser of a test file. Running as root, as in containers, it has no sandbox. */
function opened(): Promise<Browser> {
  const { executablePath, libraries }: Chromium = JSON.parse(process.env['BANYAN_TEST_CHROMIUM'] ?? '')
  return (browser ??= chromium.launch({
    executablePath,
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
    chromiumSandbox: false,
  }))
}

export const closeBrowser = async () => (await browser?.catch(() => undefined))?.close()

after(closeBrowser)

/** A person with a browser profile of her own; the console errors of a site are recorded. `deviceScaleFactor`: of the screen. */
export async function openPerson(origin: string, deviceScaleFactor = 1): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await (await opened()).newContext({ deviceScaleFactor })).newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type()) && message.location().url.startsWith(origin)
    if (isComplaint) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  return { page, complaints }
}
