import { setTimeout as sleep } from 'node:timers/promises'
import type { Supervised } from './processes.ts'
import type { Cut } from './proxy.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import { killBackend } from './stored.ts'

const FREEZE_MS_MIN = 1_000
const FREEZE_MS_MAX = 12_000
const FULL_MS_MAX = 8_000
const CUT_TIMEOUT_MS = 10_000

/** Something that breaks. Resolves to false when there was nothing to break at that moment. */
export type Fault = { name: string; weight: number; strike(stage: Stage, random: Random): Promise<boolean> }

export const KILLS: Fault[] = [
  { name: 'kill -9 of an API', weight: 6, strike: ({ apis }, random) => killOne(apis, random) },
  { name: 'kill -9 of a worker', weight: 6, strike: ({ workers }, random) => killOne(workers, random) },
  { name: 'kill -9 of a database backend', weight: 6, strike: ({ databaseUrl }) => killBackend(databaseUrl) },
  { name: 'kill -9 of the postmaster', weight: 2, strike: ({ database }, random) => killOne([database], random) },
]

export const FREEZES: Fault[] = [
  { name: 'freeze of an API', weight: 2, strike: ({ apis }, random) => freezeOne(apis, random) },
  { name: 'freeze of a worker', weight: 1, strike: ({ workers }, random) => freezeOne(workers, random) },
  { name: 'freeze of PostgreSQL', weight: 1, strike: ({ database }, random) => freezeOne([database], random) },
]

export const CUTS: Fault[] = [
  { name: 'response to a write lost', weight: 6, strike: cutWrite('after') },
  { name: 'write lost on its way', weight: 2, strike: cutWrite('before') },
  { name: 'response to a write never comes', weight: 2, strike: cutWrite('silence') },
]

export const FULL_DISK: Fault[] = [{ name: 'disk of PostgreSQL full', weight: 1, strike: fillDisk }]

async function killOne(processes: Supervised[], random: Random): Promise<boolean> {
  const victim = random.pick(processes)
  await victim.whenReady() // otherwise it would be killed while it starts, and nothing would ever run
  await victim.kill()
  return true
}

async function freezeOne(processes: Supervised[], random: Random): Promise<boolean> {
  const victim = random.pick(processes)
  await victim.whenReady()
  await victim.freeze()
  await sleep(random.between(FREEZE_MS_MIN, FREEZE_MS_MAX))
  victim.thaw()
  return true
}

async function fillDisk({ database, disk }: Stage, random: Random): Promise<boolean> {
  if (!disk) return false
  await database.whenReady()
  await disk.fullFor(random.between(FREEZE_MS_MIN, FULL_MS_MAX))
  return true
}

function cutWrite(cut: Cut): Fault['strike'] {
  return ({ apis }, random) => random.pick(apis).proxy.cutNext(cut, CUT_TIMEOUT_MS)
}
