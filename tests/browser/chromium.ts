import { after } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Rendering a page with a hundred operations takes time on a busy machine. */
const TIMEOUT_MS = 90_000

let browser: Promise<Browser> | undefined

/** A connection to the one browser of the run; a file's pages are its own, and closed with it. */
const opened = (): Promise<Browser> => (browser ??= chromium.connect(process.env['BANYAN_TEST_CHROMIUM'] ?? ''))

after(async () => (await browser?.catch(() => undefined))?.close())

/** A person with a browser profile of her own; the console errors of a site are recorded. `deviceScaleFactor`: of the screen. */
export async function openPerson(origin: string, deviceScaleFactor = 1): Promise<{ page: Page; complaints: string[] }> {
  const context = await (await opened()).newContext({ deviceScaleFactor })
  after(() => context.close()) // at the end of the test that opened it: a page that is left goes on asking and drawing
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type()) && message.location().url.startsWith(origin)
    if (isComplaint) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  return { page, complaints }
}
