import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { noteFailedFiles } from './failed-files.ts'
import { EXIT_USAGE } from './run-and-report.ts'
import { TIERS } from './tiers.ts'

const ROOT = join(import.meta.dirname, '../..')

const HELP = `npm run test:<tier> -- [part of a path]…

Runs the files of a tier, or those with one of these parts in their path. Tiers: ${Object.keys(TIERS).join(', ')}.

--all  also runs tests/<tier>/all: what installs many tools, and takes minutes.

Exit code 1 when a test failed.`

async function runTier([name = '', ...parts]: string[], isAll: boolean): Promise<void> {
  const tier = TIERS[name]
  if (tier === undefined) throw new Error(`there is no tier ${name}; there are ${Object.keys(TIERS).join(', ')}`)
  const { longest = [] } = tier
  const rankOf = (file: string) => longest.indexOf(file.replace(`.${name}test.ts`, '')) + 1 || longest.length + 1
  const folder = join(ROOT, 'tests', name)
  const more = isAll ? readdirSync(join(folder, 'all')).map((file) => `all/${file}`) : []
  const files = [...readdirSync(folder), ...more]
    .filter(
      (file) =>
        file.endsWith(`.${name}test.ts`) &&
        (parts.length === 0 || parts.some((part) => `tests/${name}/${file}`.includes(part))),
    )
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map((file) => join(folder, file))
  if (files.length === 0) throw new Error(`no file of the tier ${name} has ${parts.join(' or ')} in its path`)
  const failed = new Set<string | undefined>()
  const { timeout_ms: timeout, files_at_once: concurrency = 1, globalSetup } = tier
  const setup = globalSetup === undefined ? {} : { globalSetupPath: join(ROOT, globalSetup) }
  const events = run({ files, concurrency, timeout, cwd: ROOT, ...setup })
  events.on('test:fail', ({ file, todo }) => {
    if (todo === undefined || todo === false) failed.add(file && relative(ROOT, file))
  })
  const report = events.compose(spec)
  report.pipe(process.stdout)
  await once(report, 'end')
  if (!failed.has(undefined)) noteFailedFiles([...failed].filter((file) => file !== undefined))
  if (failed.size > 0) process.exitCode = 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false }, all: { type: 'boolean', default: false } },
})
try {
  if (values.help) console.log(HELP)
  else await runTier(positionals, values.all)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = EXIT_USAGE
}
