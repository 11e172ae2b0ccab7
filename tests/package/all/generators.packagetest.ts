import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { within } from '../../support/deadline.ts'
import { run } from '../../support/packed-client.ts'
import { freePorts } from '../../support/server.ts'
import { readText } from '../../support/sources.ts'
import { emptyProject, npm } from '../installation.ts'

const START_MS_MAX = 60_000

const { paths } = JSON.parse(readText('openapi.json')) as { paths: Record<string, Record<string, object>> }
const operations = Object.values(paths).flatMap((path) =>
  Object.values(path).flatMap((operation) => ('operationId' in operation ? [String(operation.operationId)] : [])),
)

const KUBB = ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-zod'].map((name) => `@kubb/${name}@4.39.3`)
const KUBB_CONFIG = `import { defineConfig } from '@kubb/core'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
import { pluginZod } from '@kubb/plugin-zod'
export default defineConfig({
  root: '.',
  input: { path: './openapi.json' },
  output: { path: './generated', format: false },
  plugins: [pluginOas(), pluginTs(), pluginZod()],
})
`

type Generator = {
  packages: string[]
  args: string[]
  /** A file of its own that it needs. */
  file?: [name: string, text: string]
  output: string
  /** How a text that people wrote, or the parts of an address, are both an address. */
  address: RegExp
}

const GENERATORS: Record<string, Generator> = {
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api@13.13.0'],
    args: ['swagger-typescript-api', 'generate', '--path', 'openapi.json', '--output', 'generated', '--name', 'api.ts'],
    output: 'generated',
    address: /export type UserAddress =\s+\| \{[^}]+\}\s+\| string/,
  },
  'openapi-zod-client': {
    packages: ['openapi-zod-client@1.18.3'],
    args: ['openapi-zod-client', 'openapi.json', '--output', 'generated.ts'],
    output: 'generated.ts',
    address: /const UserAddress = z\.union\(\[/,
  },
  kubb: {
    packages: [...KUBB, 'zod@4.6.7'],
    args: ['kubb', 'generate'],
    file: ['kubb.config.mjs', KUBB_CONFIG],
    output: 'generated',
    address: /export type UserAddress = \(\{[^}]*\} \| string\);?/,
  },
}

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'banyan-more-generators-'))
})
after(() => rm(root, { recursive: true, force: true }))

/** A project with these packages and the document. */
async function projectWith(name: string, packages: string[]): Promise<string> {
  const folder = await emptyProject(join(root, name))
  await npm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], folder)
  await copyFile(new URL('../../../openapi.json', import.meta.url), join(folder, 'openapi.json'))
  return folder
}

/** The text of a file, or of all files below a folder. */
async function textIn(path: string): Promise<string> {
  if (path.endsWith('.ts')) return readFile(path, 'utf8')
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n')
}

describe('openapi.json, unchanged, is taken', () => {
  for (const [name, { packages, args, file, output, address }] of Object.entries(GENERATORS)) {
    it(`by ${name}: every operation is there, and an address is a text or its parts`, async () => {
      const folder = await projectWith(name, packages)
      if (file) await writeFile(join(folder, file[0]), file[1])
      await run(join(folder, 'node_modules/.bin', String(args[0])), args.slice(1), { cwd: folder })
      const text = await textIn(join(folder, output))
      assert.deepEqual(
        operations.filter((operation) => !new RegExp(operation, 'i').test(text)),
        [],
      )
      assert(address.test(text), `an address is ${/.{80}UserAddress\b.{120}/s.exec(text)?.[0]}`)
    })
  }

  it('by the mock server of Prism, which finds an example for a call and rejects one without a credential', async () => {
    const folder = await projectWith('prism', ['@stoplight/prism-cli@5.16.0'])
    const [port = 0] = await freePorts(1)
    const args = ['mock', 'openapi.json', '--port', String(port), '--host', '127.0.0.1', '--multiprocess', 'false']
    const prism = spawn(join(folder, 'node_modules/.bin/prism'), args, { cwd: folder, stdio: 'ignore' })
    try {
      const url = `http://127.0.0.1:${port}/v1/users/012345678901/insurance_policies`
      const call = (headers: Record<string, string>) =>
        fetch(url, { headers, signal: AbortSignal.timeout(START_MS_MAX) })
      const authorization = 'Bearer token'
      await within(START_MS_MAX, () =>
        call({ authorization }).then(
          () => true,
          () => false,
        ),
      )
      const listed = await call({ authorization })
      assert.equal(listed.status, 200)
      const { data } = (await listed.json()) as { data: { id: string }[] }
      assert.match(data[0]?.id ?? '', /^pol_/)
      assert.equal((await call({})).status, 401)
    } finally {
      const ended = once(prism, 'exit')
      prism.kill()
      await ended
    }
  })
})
