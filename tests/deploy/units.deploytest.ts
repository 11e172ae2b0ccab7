import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { librariesIn, unpackPackages } from '../support/debian-packages.ts'
import { readText } from '../support/sources.ts'

const UNITS = 'deploy/systemd'
const EXPOSURE_MAX = 3
const INSTALLED = '/usr/bin/systemd-analyze'

let folder: string
let analyze: (...args: string[]) => Promise<string>
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'banyan-units-'))
  const root = existsSync(INSTALLED) ? undefined : await unpackPackages(['systemd'])
  const env = root === undefined ? process.env : { ...process.env, LD_LIBRARY_PATH: librariesIn(root) }
  analyze = async (...args) => {
    const { stdout, stderr } = await promisify(execFile)(join(root ?? '/', INSTALLED), args, { cwd: folder, env })
    return stdout + stderr
  }
})
after(() => rm(folder, { recursive: true, force: true }))

describe('the systemd units', () => {
  const names = readdirSync(new URL(`../../${UNITS}`, import.meta.url)).filter((name) => name.endsWith('.service'))

  for (const name of names) {
    it(`${name} is valid, and its exposure is at most ${EXPOSURE_MAX}`, async () => {
      const path = join(folder, name.replace('@', '@8081'))
      // The program is not installed here, and systemd looks for it.
      await writeFile(path, readText(join(UNITS, name)).replace('/usr/local/bin/banyan', '/bin/true'))
      // It also reads the units of this machine, and warns of them.
      const lines = (await analyze('verify', path)).split('\n')
      assert.deepEqual(
        lines.filter((line) => line.includes('banyan')),
        [],
      )
      const [, exposure] = /Overall exposure level for .*: (\d+\.\d+) /.exec(
        await analyze('security', '--offline=true', path),
      ) ?? [undefined, 'unknown']
      assert(Number(exposure) <= EXPOSURE_MAX, exposure)
    })
  }

  it('are those of the API, the worker and the migration', () => {
    assert.deepEqual(names.toSorted(), ['banyan-api@.service', 'banyan-migrate.service', 'banyan-worker@.service'])
  })
})
