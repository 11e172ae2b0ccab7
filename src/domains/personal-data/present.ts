import type { Static } from 'typebox'
import type { ErasureSettings } from '../../access/erasure-settings.ts'
import { addDays } from '../../kernel/date.ts'
import { EVENT_RETENTION_DAYS } from '../../record/index.ts'
import type { ErasureOutcome } from './erase-user.ts'
import type { Forgetting, Ground } from './forgetting.ts'
import type { Erasure as ErasureSchema } from './schemas.ts'

/** Logs of who saw and did what are kept by these, and without the person they name nobody. */
const LAW_OF_LOGS = 'Digital Personal Data Protection Rules, 2025, rules 6(1)(e) and 8(3)'

type Field = Static<typeof ErasureSchema>['fields'][number]
type Context = { forgetting: readonly Forgetting[]; erasure: ErasureSettings }

/** Returns an erasure with what becomes of each field of the person. */
export function presentErasure(
  { forgetting, erasure }: Context,
  outcome: ErasureOutcome,
): Static<typeof ErasureSchema> {
  return {
    user_id: outcome.userId,
    erased_at: outcome.erasedAt,
    fields: forgetting.map(({ field, ground }) => presentField(field, { ground, erasure, outcome })),
  }
}

type FieldContext = { ground: Ground | undefined; erasure: ErasureSettings; outcome: ErasureOutcome }

/** What there is nothing of is not retained. */
function presentField(field: string, { ground, erasure, outcome }: FieldContext): Field {
  const erased: Field = { field, outcome: 'erased' }
  switch (ground) {
    case undefined:
      return erased
    case 'log':
      return { field, outcome: 'retained', law: LAW_OF_LOGS }
    case 'events':
      return { field, outcome: 'retained', until: addDays(outcome.erasedAt.slice(0, 10), EVENT_RETENTION_DAYS) }
    case 'ledger':
    case 'policies': {
      const until = outcome.until[ground]
      return until === null ? erased : { field, outcome: 'retained', law: erasure.terms[ground].law, until }
    }
  }
}
