import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { newWorkspace, startServer } from '../support/server.ts'
import { closeBrowser } from './chromium.ts'
import { logIn, makePeopleAt, pathOf, type Role, SCREENS, settled, THEMES } from './dashboard.ts'
import { findChromium } from './global-setup.ts'

/** Makes a picture of every screen, in both themes and two widths: `npm run pictures -- folder [people]`. */
const [folder = 'preview/dashboard', people = '200'] = process.argv.slice(2)
const WIDTHS = [360, 1280]
const HEIGHT = 900
const POLL_MS = 100
const DRAWING_MS = 3_000
const FONTS = new URL('../../templates/fonts', import.meta.url).pathname

/** Resolves when the browser's viewer has drawn the PDF in a frame, if the page has one. */
async function shownDocuments(page: Page): Promise<void> {
  if ((await page.locator('iframe').count()) === 0) return
  while (!page.frames().some((frame) => frame.url().startsWith('chrome-extension:'))) await sleep(POLL_MS)
  await sleep(DRAWING_MS)
}

process.env['BANYAN_TEST_CHROMIUM'] = JSON.stringify(await findChromium())
// The machine may have no fonts for the scripts of India; those of the documents have them.
const data = await mkdtemp(join(tmpdir(), 'banyan-fonts-'))
await symlink(FONTS, join(data, 'fonts'))
process.env['XDG_DATA_HOME'] = data

await mkdir(folder, { recursive: true })
const workspace = await newWorkspace()
const server = await startServer(workspace)
try {
  const { origin } = workspace
  await makePeopleAt(workspace, Number(people))
  const pages = new Map<Role, Page>()
  for (const screen of SCREENS) {
    const role = screen.who.includes('owner') ? 'owner' : (screen.who[0] ?? 'owner')
    const page = pages.get(role) ?? (await logIn(origin, role)).page
    pages.set(role, page)
    const path = await pathOf(page, origin, screen)
    for (const theme of THEMES)
      for (const width of WIDTHS) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height: HEIGHT })
        await page.goto(`${origin}/dashboard${path}`)
        await settled(page)
        await shownDocuments(page)
        const name = `${screen.title.toLowerCase().replaceAll(' ', '-')}-${theme}-${width}.png`
        await page.screenshot({ path: join(folder, name) })
        console.log(join(folder, name))
      }
  }
} finally {
  await closeBrowser()
  await server.stop()
  await workspace.remove()
  await rm(data, { recursive: true })
}
