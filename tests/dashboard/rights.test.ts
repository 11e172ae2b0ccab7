import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RIGHTS } from '../../dashboard/src/api/rights.ts'
import { ROLES } from '../../dashboard/src/api/roles.ts'
import type { CallerKind } from '../../src/access/caller.ts'
import { matrix } from '../../src/access/matrix.ts'

const KINDS: Partial<Record<string, CallerKind>> = { benefit_provider: 'provider' }

describe('the rights on the dashboard', () => {
  for (const [operation, roles] of Object.entries(RIGHTS)) {
    it(`are those of the service’s matrix: ${operation}`, () => {
      const { grants } = matrix[operation as keyof typeof RIGHTS]
      const granted = ROLES.filter((role) => (KINDS[role] ?? role) in grants)
      assert.deepEqual(roles.toSorted(), granted.toSorted())
    })
  }
})
