import { CUTS, FREEZES, FULL_DISK, KILLS } from './faults.ts'
import type { Scenario } from './scenario-context.ts'
import { hotRow } from './hot-row.ts'
import { storm } from './storm.ts'

/** Needs a disk that can be filled without harm to others. */
export const DISK_FULL = 'disk-full'

export const SCENARIOS: Scenario[] = [
  { name: 'storm', is: 'all faults of the next three, mixed', run: storm([...KILLS, ...FREEZES, ...CUTS]) },
  { name: 'kills', is: 'kill -9 of APIs, workers, database backends and the postmaster', run: storm(KILLS) },
  {
    name: 'freezes',
    is: 'APIs, workers and PostgreSQL that stand still for some seconds and go on',
    run: storm(FREEZES),
  },
  { name: 'cuts', is: 'writes, or the responses to them, lost between API and database', run: storm(CUTS) },
  {
    name: DISK_FULL,
    is: 'the disk of PostgreSQL full for some seconds; mounts a tmpfs, as root',
    run: storm(FULL_DISK),
  },
  { name: 'hot-row', is: 'one wallet and one sponsor written 20 times a second each, while others go on', run: hotRow },
]

/** The default scenarios. */
export const USUAL = ['storm', 'hot-row']
