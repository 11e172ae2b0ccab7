import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Closers } from '../faults/stage.ts'
import { findProgram } from '../support/debian-packages.ts'
import { run } from '../support/packed-client.ts'
import { unpackProgram } from '../support/packed-program.ts'

type Settings = Record<string, string>
type Command = { command: string; args: string[]; env: NodeJS.ProcessEnv }

/** The program as it is delivered. `commandOf` is how a process of it is started, as often as needed but once at a time. */
export type Delivered = {
  name: 'package' | 'image'
  commandOf(args: string[], settings: Settings): Promise<Command>
}

/** The package, with the Node that runs the tests. */
export async function preparePackage(folder: string): Promise<Delivered> {
  const program = await unpackProgram(folder)
  const own = { PATH: process.env['PATH'], HOME: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  return {
    name: 'package',
    commandOf: async (args, settings) => ({
      command: process.execPath,
      args: [program, ...args],
      env: { ...own, ...settings },
    }),
  }
}

/** What we use of buildah's description of an image. */
type Image = {
  OCIv1: { config: { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[]; WorkingDir: string } }
}

/** What we change of the configuration that runc proposes. */
type Bundle = {
  process: object
  root: object
  mounts: object[]
  linux: { namespaces: { type: string }[] }
}

/**
 * An image, in containers of runc as deploy/compose.yaml runs them: a read-only root with a folder for temporary files, no capabilities, and
 * the program as process 1. Only the network is that of the machine. It needs buildah and root.
 */
export async function prepareImage(image: string, folder: string, closers: Closers): Promise<Delivered> {
  const buildah = async (...args: string[]) => (await run('buildah', args, { cwd: folder })).trim()
  const container = await buildah('from', '--pull-never', image)
  closers.push(() => buildah('rm', container))
  const root = await buildah('mount', container)
  const { config } = (JSON.parse(await buildah('inspect', container)) as Image).OCIv1
  const [uid, gid] = config.User.split(':').map(Number)
  const runc = await findProgram('runc', 'usr/sbin/runc')
  const options = ['--root', join(folder, 'containers')]
  const env = { PATH: process.env['PATH'], ...runc.environment }
  let count = 0

  return {
    name: 'image',
    async commandOf(args, settings) {
      const name = `${args[0]}-${++count}`
      const bundle = join(folder, 'bundles', name)
      await mkdir(bundle, { recursive: true })
      await promisify(execFile)(runc.path, ['spec', '--bundle', bundle], { env })
      const path = join(bundle, 'config.json')
      const proposed = JSON.parse(await readFile(path, 'utf8')) as Bundle
      const { process: asProposed, mounts, linux } = proposed
      const changed = {
        ...proposed,
        process: {
          ...asProposed,
          terminal: false,
          user: { uid, gid },
          args: [...config.Entrypoint, ...args],
          env: [...config.Env, ...Object.entries(settings).map((setting) => setting.join('='))],
          cwd: config.WorkingDir,
          capabilities: {},
        },
        root: { path: root, readonly: true },
        mounts: [
          ...mounts,
          { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'noexec', 'mode=1777'] },
        ],
        linux: { ...linux, namespaces: linux.namespaces.filter(({ type }) => type !== 'network') },
      }
      await writeFile(path, JSON.stringify(changed))
      closers.push(() => promisify(execFile)(runc.path, [...options, 'delete', '--force', name], { env }))
      return { command: runc.path, args: [...options, 'run', '--bundle', bundle, name], env }
    },
  }
}
