import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom } from '../faults/random.ts'

const ROOT = new URL('../../', import.meta.url).pathname

/** Long by the clock because they wait or start programs: started first, so that no run ends with one of them alone. */
export const LONG = [
  'tests/walkthroughs/',
  'tests/wallets/worker-killed',
  'tests/wallets/sandbox-modes',
  'tests/hazards/worst-requests',
  'tests/hazards/orphaned-job',
  'tests/canaries/canaries',
  'tests/documents/templates',
  'tests/record/shared-writes',
  'tests/hazards/sockets',
  'tests/policies/year',
]

/** The test files whose path has one of these parts, or all when none is given, in the seed's order. */
export function findFiles({ parts, seed }: { parts: string[]; seed: string }): string[] {
  const random = randomFrom(seed)
  const shuffled = readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('tests', name))
    .filter((path) => path.endsWith('.test.ts') && (parts.length === 0 || parts.some((part) => path.includes(part))))
    .toSorted()
    .map((path) => ({
      path,
      isLong: LONG.some((beginning) => path.startsWith(beginning)),
      position: random.fraction(),
    }))
    .toSorted((one, other) => Number(other.isLong) - Number(one.isLong) || one.position - other.position)
  return shuffled.map(({ path }) => path)
}
