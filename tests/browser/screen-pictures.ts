import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Workspace } from '../support/server.ts'
import { logIn, pathOf, type Role, SCREENS, settled, THEMES } from './dashboard.ts'

const WIDTHS = [360, 1280]
const HEIGHT = 900
const POLL_MS = 100
const DRAWING_MS = 3_000

/** Resolves when the browser's viewer has drawn the PDF in a frame, if the page has one. */
export async function shownDocuments(page: Page): Promise<void> {
  if ((await page.locator('iframe').count()) === 0) return
  while (!page.frames().some((frame) => frame.url().startsWith('chrome-extension:'))) await sleep(POLL_MS)
  await sleep(DRAWING_MS)
}

/** Makes a picture of every screen, in both themes and two widths. */
export async function takeScreens({ origin }: Workspace, folder: string): Promise<void> {
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
}
