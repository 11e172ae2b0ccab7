import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildImage } from './image.ts'
import { sbomOf } from './sbom.ts'

/**
 * Builds everything that a release consists of, into a folder: package, client, documents of the interface, SBOM, image and
 * checksums. The same commit gives the same bytes. Nothing is published.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const DOCUMENTS = ['openapi.json', 'asyncapi.json', 'events.schema.json']

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    out: { type: 'string', default: join(ROOT, 'release') },
    'no-image': { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, string>

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/** Returns why this state of the files is not the release of its version; undefined when it is. */
function reasonAgainst(): string | undefined {
  if (git('status', '--porcelain') !== '') return 'There are changes that are not committed.'
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    return `The commit has no tag v${version}.`
  return undefined
}

/** The time of the commit, or what `SOURCE_DATE_EPOCH` says where there is no history. */
function madeAt(): Date {
  const seconds = process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct')
  return new Date(Number(seconds) * 1_000)
}

function pack(folder: string): void {
  const { status, stderr } = spawnSync('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm pack failed in ${folder}: ${stderr}`)
}

function checksums(): string {
  const names = readdirSync(out).toSorted()
  const sumOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex')
  return names.map((name) => `${sumOf(name)}  ${name}\n`).join('')
}

const reason = values['dry-run'] ? undefined : reasonAgainst()
if (reason === undefined) {
  const at = madeAt()
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  pack(ROOT)
  pack(join(ROOT, 'client'))
  for (const document of DOCUMENTS) copyFileSync(join(ROOT, document), join(out, document))
  writeFileSync(join(out, `banyan-server-${version}.cdx.json`), sbomOf(ROOT, { name: String(name), madeAt: at }))
  const noImage = values['no-image'] ? 'not asked for' : buildImage(ROOT, { out, version: String(version), madeAt: at })
  const sums = checksums()
  writeFileSync(join(out, 'SHA256SUMS'), sums)
  console.log(`${sums}\nBanyan ${version} is in ${out}. Nothing was published.`)
  if (noImage !== undefined) console.log(`Without the image: ${noImage}.`)
} else {
  console.error(`${reason} With --dry-run, the release is built all the same.`)
  process.exitCode = 1
}
