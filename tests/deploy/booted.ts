import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Closers } from '../faults/stage.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { findProgram } from '../support/debian-packages.ts'

const ROOT = join(import.meta.dirname, '../..')
const SYSTEMD = '/lib/systemd/systemd'
const OBSERVED = '/observed'
/** Where the folder of the test is in the system: our units have a `/tmp` of their own. */
const INSIDE = '/srv/banyan'
const PACKAGES = join(ROOT, 'node_modules')

/** Returns a text with the paths that its files have in the system: those of the test, and the packages of this checkout below them. */
export const inside = (text: string, folder: string): string =>
  text
    .replaceAll(PACKAGES, `${INSIDE}/package/node_modules`)
    .replaceAll(folder, INSIDE)
    .replaceAll(encodeURIComponent(folder), encodeURIComponent(INSIDE))

/** Whether a system can be booted here: as root, where mounts are allowed, and on a Debian with systemd. */
export const canBoot = (): boolean =>
  process.getuid?.() === 0 && existsSync(SYSTEMD) && spawnSync('unshare', ['--mount', 'true']).status === 0

export type UnitState = { ActiveState: string; Result: string; NRestarts: number; StartLimitIntervalUSec: string }

type Boot = {
  /** What is in `/usr/local/bin/banyan`. */
  program: string
  settings: Record<string, string>
  /** Instances of the units in deploy/systemd, which start with the system. */
  units: string[]
  folder: string
  closers: Closers
}

/**
 * Boots this machine's system with systemd in a container, with our units as they are, and nothing else. What it writes goes into memory:
 * its root is a layer above that of the machine. It has a network of its own with a loopback only; `folder` is at `INSIDE`.
 */
export async function boot({ program, settings, units, folder, closers }: Boot) {
  const changes = join(folder, 'changes')
  const observed = join(folder, 'observed')
  await mkdir(observed)
  await writeChanges({ changes, program, settings, units })
  // A link to the checkout, which the units do not see where it lies in `/tmp`.
  const packages = join(folder, 'package/node_modules')
  await rm(packages)
  await mkdir(packages)
  const { path: nspawn, environment } = await findProgram('systemd-container', 'usr/bin/systemd-nspawn')
  // All mounts are in a namespace that ends with the container.
  const script = `
    set -e
    mount --make-rprivate /
    mkdir -p "$1/root" "$1/memory"
    mount -t tmpfs -o mode=0755 tmpfs "$1/memory"
    mkdir "$1/memory/upper" "$1/memory/work"
    mount -t overlay -o "lowerdir=/,upperdir=$1/memory/upper,workdir=$1/memory/work" overlay "$1/root"
    rm -rf "$1"/root/etc/systemd/system/*.wants
    cp -a "$1/changes/." "$1/root/"
    : > "$1/root/etc/machine-id"
    exec "$2" --quiet --directory="$1/root" --register=no --keep-unit --private-network --machine="$3" \\
      --bind="$1:${INSIDE}" --bind-ro="$4:${INSIDE}/package/node_modules" --bind="$1/observed:${OBSERVED}" --console=pipe --boot systemd.show_status=no`
  const args = ['--mount', 'sh', '-c', script, 'sh', folder, nspawn, `banyan-${process.pid}`, PACKAGES]
  const env = { PATH: process.env['PATH'], ...environment }
  const container = spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [container.stdout, container.stderr]) stream.on('data', (text) => (output += String(text)))
  const ended = once(container, 'exit')
  closers.push(async () => {
    container.kill('SIGTERM') // which ends the system in order
    await ended
  })
  return {
    output: () => output,
    /** Runs a script in it, as root. Returns what it printed, and its exit code as the last line. */
    async run(script: string): Promise<string> {
      await writeFile(join(observed, '.script'), script)
      await rename(join(observed, '.script'), join(observed, 'script'))
      const said = join(observed, 'said')
      await within(DEADLINE_MS, async () => existsSync(said))
      const text = await readFile(said, 'utf8')
      await rm(said)
      return text
    },
    /** What its units have logged. */
    journal: () => readFileSync(join(observed, 'journal'), 'utf8'),
    /** The states of its units, once it has booted. */
    states(): Record<string, UnitState> {
      if (container.exitCode !== null) throw new Error(`the system has ended: ${output}`)
      const path = join(observed, 'now')
      if (!existsSync(path)) return {}
      const blocks = readFileSync(path, 'utf8').trim().split('\n\n')
      return Object.fromEntries(blocks.map((block) => stateOf(block)))
    },
  }
}

function stateOf(block: string): [string, UnitState] {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split('=', 2) as [string, string]))
  const { Id = '', ActiveState = '', Result = '', NRestarts, StartLimitIntervalUSec = '' } = fields
  return [Id, { ActiveState, Result, NRestarts: Number(NRestarts), StartLimitIntervalUSec }]
}

type Changes = Pick<Boot, 'program' | 'settings' | 'units'> & { changes: string }

/** Writes what the system has alongside the machine's: our units, account and settings, installed as deploy/README.md says. */
async function writeChanges({ changes, program, settings, units }: Changes): Promise<void> {
  const system = join(changes, 'etc/systemd/system')
  const wants = join(system, 'multi-user.target.wants')
  const accounts = join(changes, 'usr/lib/sysusers.d')
  const programs = join(changes, 'usr/local/bin')
  const own = join(changes, 'etc/banyan')
  for (const path of [wants, accounts, programs, own]) await mkdir(path, { recursive: true })
  const shipped = join(ROOT, 'deploy/systemd')
  for (const name of await readdir(shipped))
    if (name.endsWith('.service')) await cp(join(shipped, name), join(system, name))
  await cp(join(shipped, 'banyan.sysusers'), join(accounts, 'banyan.conf'))
  await writeFile(join(programs, 'banyan'), program)
  await cp(join(shipped, 'banyan-command'), join(programs, 'banyan-command'))
  await chmod(join(programs, 'banyan'), 0o755)
  const lines = Object.entries(settings).map((setting) => setting.join('='))
  await writeFile(join(own, 'banyan.env'), `${lines.join('\n')}\n`, { mode: 0o600 })
  await writeFile(join(system, 'observe.service'), observing(units))
  for (const unit of ['observe.service', ...units])
    await symlink(join('/etc/systemd/system', unit.replace(/@.*\./, '@.')), join(wants, unit))
}

/** Writes the states of units down, and what they log, again and again; runs the script that it is given. */
const observing = (units: string[]): string => {
  const files = {
    now: `systemctl show ${units.join(' ')} -p Id,ActiveState,Result,NRestarts,StartLimitIntervalUSec`,
    journal: 'journalctl -q -o cat -u "banyan-*"',
  }
  const write = Object.entries(files).map(
    ([name, command]) => `${command} > ${OBSERVED}/.${name}; mv ${OBSERVED}/.${name} ${OBSERVED}/${name};`,
  )
  const obey = `if [ -f ${OBSERVED}/script ]; then sh ${OBSERVED}/script > ${OBSERVED}/.said 2>&1; echo $? >> ${OBSERVED}/.said; rm ${OBSERVED}/script; mv ${OBSERVED}/.said ${OBSERVED}/said; fi;`
  return `[Service]\nExecStart=/bin/sh -c 'while :; do ${write.join(' ')} ${obey} sleep 0.2; done'\n`
}
