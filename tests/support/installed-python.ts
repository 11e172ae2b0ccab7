import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { run } from './packed-client.ts'

const ROOT = new URL('../../', import.meta.url).pathname
/** Debian's, not one that somebody has put before it. */
const PYTHON = '/usr/bin/python3'

/** The client for Python as a partner has it: installed by pip into an environment of its own, without a network. */
export async function installPythonClient() {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-python-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const source = join(folder, 'client-python')
  await cp(join(ROOT, 'client-python'), source, { recursive: true })
  await run(PYTHON, ['-m', 'venv', 'venv'], { cwd: folder })
  const options = ['--no-index', '--no-build-isolation', '--no-deps', '--disable-pip-version-check', '--quiet']
  await run(join(folder, 'venv/bin/pip'), ['install', ...options, '.'], { cwd: source })

  /** Runs a program with this text on its standard input; returns what it prints. */
  async function python(
    args: string[],
    { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
  ) {
    const child = spawn(join(folder, 'venv/bin/python'), args, { cwd: folder, env: { ...process.env, ...env } })
    let [printed, errors] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
    child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
    child.stdin.end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`python ended with ${code}: ${errors}`)
    return printed
  }
  return { folder, python }
}
