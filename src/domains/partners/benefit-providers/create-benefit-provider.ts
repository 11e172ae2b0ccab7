import type { Queryable } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import type { By, Change } from '../../../record/index.ts'
import { type BenefitProvider, INSERT_BENEFIT_PROVIDER, codeConflict } from './store.ts'

/** Decides a new benefit provider. The write fails with 409 when the code is taken. */
export function createBenefitProvider(
  db: Queryable,
  { name, code }: Pick<BenefitProvider, 'name' | 'code'>,
  by: By,
): Change<BenefitProvider> {
  const id = newId('bpr')
  return {
    result: { id, name, code, ...firstVersion(by.at) },
    write: INSERT_BENEFIT_PROVIDER,
    values: [id, name, code, by.at],
    conflicts: codeConflict(db, code),
  }
}
