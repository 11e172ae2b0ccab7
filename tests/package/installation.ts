import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { within } from '../support/deadline.ts'
import { newWorkspace } from '../support/server.ts'

const NPM_MS_MAX = 600_000
const COMMAND_MS_MAX = 300_000
const START_MS_MAX = 120_000
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

type Ended = { code: number; stdout: string; stderr: string }
type Options = { cwd: string; env?: NodeJS.ProcessEnv; timeout?: number }

/** Runs a program to its end. */
export const run = (program: string, args: string[], options: Options): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(program, args, { maxBuffer: OUTPUT_BYTES_MAX, ...options }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

/** Runs npm, with the registry that this machine uses; fails with its output. */
export async function npm(args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run('npm', args, { cwd, timeout: NPM_MS_MAX })
  if (code !== 0) throw new Error(`npm ${args.join(' ')}: ${stdout}\n${stderr}`)
  return stdout
}

/**
 * A program installed from its tarball into an empty folder, with data, ports and an environment of its own: of what is
 * installed on this machine, it finds Node and what every system has.
 */
export async function startInstalled(folder: string) {
  const { environment, origin, dataDir, remove } = await newWorkspace()
  const path = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  const { NODE_COMPILE_CACHE: _ofTheCheckout, ...settings } = environment
  const program = join(folder, 'node_modules/.bin/banyan')
  const optionsWith = (more: Record<string, string>) => ({ cwd: folder, env: { ...settings, PATH: path, ...more } })

  /** Runs a command to its end. */
  const command = (args: string[], more: Record<string, string> = {}) =>
    run(program, args, { ...optionsWith(more), timeout: COMMAND_MS_MAX })

  /** Runs everything; resolves when it says that it is running. */
  async function start(more: Record<string, string> = {}) {
    const child = spawn(program, ['start'], { ...optionsWith(more), stdio: ['ignore', 'pipe', 'pipe'] })
    process.once('exit', () => child.kill('SIGKILL'))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
    const ended = once(child, 'exit') as Promise<[code: number | null]>
    await within(START_MS_MAX, async () => {
      if (child.exitCode !== null) throw new Error(`start ended with ${child.exitCode}: ${output}`)
      return output.includes(' is running')
    })
    return {
      output: () => output,
      /** Ends it as a power failure does. */
      async kill() {
        child.kill('SIGKILL')
        await ended
      },
      /** Stops it as a supervisor does; resolves to its exit code. */
      async stop() {
        child.kill('SIGTERM')
        return (await ended)[0]
      },
    }
  }
  return { origin, dataDir, command, start, remove }
}

/** Creates an empty folder with a project that depends on nothing. */
export async function emptyProject(folder: string): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  return folder
}
