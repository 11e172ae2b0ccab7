import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '../faults/random.ts'

const ROOT = new URL('../../', import.meta.url).pathname

/** What an operation does not promise by itself: run by `npm run test:system`, or by their name. */
const SYSTEM = 'tests/system/'

/** Long by the clock because they wait or start programs: started first, so that no run ends with one of them alone. */
export const LONG = ['walkthroughs/', 'upgrades/', 'hazards/', 'wallets/', 'canaries/'].map((folder) => SYSTEM + folder)

type Selection = {
  /** Parts of paths; they find files of both tiers. */
  parts: string[]
  seed: string
  /** The tier when no part is given; both without it. */
  tier?: 'fast' | 'system' | undefined
  /** Files to take of those. */
  isWanted?: ((path: string) => boolean) | undefined
}

/** The test files whose path has one of these parts, or those of the tier when none is given, in the seed's order. */
export function findFiles({ parts, seed, tier, isWanted = () => true }: Selection): string[] {
  const random = randomFrom(seed)
  const isSelected = (path: string) =>
    parts.length > 0
      ? parts.some((part) => path.includes(part))
      : tier === undefined || path.startsWith(SYSTEM) === (tier === 'system')
  return readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('tests', name))
    .filter((path) => path.endsWith('.test.ts') && isSelected(path) && isWanted(path))
    .toSorted()
    .map((path) => ({
      path,
      isLong: LONG.some((beginning) => path.startsWith(beginning)),
      position: random.fraction(),
    }))
    .toSorted((one, other) => Number(other.isLong) - Number(one.isLong) || one.position - other.position)
    .map(({ path }) => path)
}
