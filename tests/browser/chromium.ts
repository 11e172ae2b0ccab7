import { after } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Chromium } from './global-setup.ts'

/** A page with a hundred operations is work, on a machine that has other work too. */
const TIMEOUT_MS = 90_000

let browser: Promise<Browser> | undefined

/** The one browser of a file of tests. As root, as in containers, it has no sandbox of its own. */
function opened(): Promise<Browser> {
  const { executablePath, libraries }: Chromium = JSON.parse(process.env['BANYAN_TEST_CHROMIUM'] ?? '')
  return (browser ??= chromium.launch({
    executablePath,
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
    chromiumSandbox: false,
  }))
}

after(async () => (await browser?.catch(() => undefined))?.close())

/** A person with a browser of her own: what it keeps is nobody else's, and what it complains about on a site is written down. */
export async function openPerson(origin: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await (await (await opened()).newContext()).newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type()) && message.location().url.startsWith(origin)
    if (isComplaint) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  return { page, complaints }
}
