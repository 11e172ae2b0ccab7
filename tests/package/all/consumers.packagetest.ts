import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { packClient, run } from '../../support/packed-client.ts'
import { emptyProject, npm } from '../installation.ts'

const COMPILERS = ['5.0.4', '5.1.6', '5.2.2', '5.4.5', '5.6.3', '5.8.3', '5.9.3', '6.0.3']
const JEST = ['jest@30.5.2', 'jest-environment-jsdom@30.5.2']
const NEXT = ['next@16.4.6', 'react@19.2.0', 'react-dom@19.2.0']

/** Every entry, one value and one type of each, and a mistake that types must find. */
const PROGRAM = `import { Banyan, Money, type InsurancePolicyStatus } from '@banyan/client'
import { verify } from '@banyan/client/webhooks'
import { Sandbox } from '@banyan/client/sandbox'
import { Connection, readWallet } from '@banyan/client/operations'
const banyan = new Banyan({ accessToken: 'token' })
export const status = (one: InsurancePolicyStatus): string => one.status
export const all = [verify, Sandbox, Money.rupees('5'), new Connection({}).call(readWallet, {})]
// @ts-expect-error an id is not any text
banyan.user('012345678901')
`

/** How a project of that kind resolves and emits modules. */
const KINDS: Record<string, { type: 'module' | 'commonjs'; module: string; moduleResolution: string }> = {
  'CommonJS, node10': { type: 'commonjs', module: 'commonjs', moduleResolution: 'node10' },
  'CommonJS, node16': { type: 'commonjs', module: 'node16', moduleResolution: 'node16' },
  'ES modules, nodenext': { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  'ES modules, bundler': { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
}

let root: string
let tarball: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'banyan-consumers-'))
  tarball = (await packClient(root)).tarball
})
after(() => rm(root, { recursive: true, force: true }))

/** A project with the packed client and these packages. */
async function projectWith(name: string, packages: string[]): Promise<string> {
  const folder = await emptyProject(join(root, name))
  await npm(
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball, ...packages],
    folder,
  )
  return folder
}

describe('the types of the packed client', () => {
  for (const version of COMPILERS) {
    it(`are read by TypeScript ${version}, also with skipLibCheck false`, async () => {
      const folder = await projectWith(`typescript-${version}`, [`typescript@${version}`])
      await writeFile(join(folder, 'program.ts'), PROGRAM)
      for (const { type, module, moduleResolution } of Object.values(KINDS)) {
        // TypeScript 6 calls the oldest resolution deprecated.
        const compilerOptions = {
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable'],
          module,
          moduleResolution,
          types: [],
          strict: true,
          noEmit: true,
          ...(version.startsWith('6') && { ignoreDeprecations: '6.0' }),
        }
        await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type }))
        await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
        await run(join(folder, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder })
      }
    })
  }
})

describe('the packed client in tools', () => {
  for (const environment of ['node', 'jsdom']) {
    it(`is loaded by Jest as installed, in the environment ${environment}`, async () => {
      const folder = await projectWith(`jest-${environment}`, JEST)
      await writeFile(
        join(folder, 'banyan.test.js'),
        `const { Banyan, Money } = require('@banyan/client')
         test('reads', async () => {
           const fetch = async () => ({ status: 200, headers: new Map([['content-type', 'application/json']]), text: async () => '{"balance":5}' })
           const banyan = new Banyan({ basicToken: 'YTpi', accessToken: 'token', fetch })
           expect((await banyan.user('012345678901').wallet.read()).balance.equals(Money.paise(5))).toBe(true)
         })`,
      )
      await run(join(folder, 'node_modules/.bin/jest'), [`--env=${environment}`], { cwd: folder })
    })
  }

  it('is built into a route of Next.js', async () => {
    const folder = await projectWith('next', NEXT)

    await mkdir(join(folder, 'app/hook'), { recursive: true })
    await writeFile(
      join(folder, 'app/layout.js'),
      `export default ({ children }) => <html><body>{children}</body></html>`,
    )
    await writeFile(
      join(folder, 'app/hook/route.js'),
      `import { verify } from '@banyan/client/webhooks'
       export async function POST(request) {
         const event = await verify(await request.text(), request.headers, process.env.WEBHOOK_SECRET).catch(() => undefined)
         return new Response(null, { status: event ? 204 : 400 })
       }`,
    )
    const env = { NEXT_TELEMETRY_DISABLED: '1' }
    assert.match(await run(join(folder, 'node_modules/.bin/next'), ['build'], { cwd: folder, env }), /\/hook/)
  })
})
