import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newWorkspace, startServer } from '../support/server.ts'
import { makePeopleAt } from './dashboard.ts'
import { startBrowser, stopBrowser } from './global-setup.ts'
import { takeHandbookPictures } from './handbook-pictures.ts'
import { takeScreens } from './screen-pictures.ts'

/**
 * `npm run pictures -- [folder]` makes a picture of every screen, in both themes and two widths;
 * `npm run pictures -- --handbook` makes those of the handbook again, with `--only name` one of them.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    handbook: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    people: { type: 'string', default: '200' },
  },
})
const [folder = values.handbook ? 'docs/pictures' : 'preview/dashboard'] = positionals
const FONTS = new URL('../../templates/fonts', import.meta.url).pathname

// The machine may have no fonts for the scripts of India; those of the documents have them.
const data = await mkdtemp(join(tmpdir(), 'banyan-fonts-'))
await symlink(FONTS, join(data, 'fonts'))
process.env['XDG_DATA_HOME'] = data
await startBrowser()

await mkdir(folder, { recursive: true })
const workspace = await newWorkspace()
const server = await startServer(workspace)
try {
  await makePeopleAt(workspace, Number(values.people))
  await (values.handbook ? takeHandbookPictures(workspace, folder, values.only) : takeScreens(workspace, folder))
} finally {
  await stopBrowser()
  await server.stop()
  await workspace.remove()
  await rm(data, { recursive: true })
}
