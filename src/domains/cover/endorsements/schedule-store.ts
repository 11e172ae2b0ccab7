import { isOwn, type Scope } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Day } from '../../../kernel/date.ts'
import { columns, nullable, text } from '../../../kernel/db/columns.ts'
import { type ChangesValues, changesValues } from '../../../kernel/db/changes-text.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { unsealDependantTolerantly } from '../../people/dependants/index.ts'
import { joinUserText, unsealProfileTolerantly } from '../../people/users/index.ts'
import { type Endorsement, ENDORSEMENT } from './records.ts'

const OF_POLICY = columns('p', { externalPolicyId: nullable(text('external_policy_id')) })

/** An endorsement of a group policy with the person of it. */
export type ScheduledEndorsement = Endorsement & {
  externalPolicyId: string | null
  person: Record<'first_name' | 'last_name' | 'date_of_birth', string | null>
}

const FIND = statement(
  'policy_endorsements_search',
  `select ${ENDORSEMENT.list}, ${OF_POLICY.list}, u.data_key, d.sealed as dependant_sealed,
          case when e.person_id = e.user_id then u.sealed end as user_sealed,
          (extract(epoch from e.last_modified_at) * 1000000)::bigint as changed_at_us
     from insurance_policies p
     join policy_endorsements e on e.user_id = p.user_id and e.policy_id = p.policy_id
     ${joinUserText('e')}
     left join dependants d on d.user_id = e.user_id and d.dependant_id = e.person_id
    where p.master_policy_number = $1 and ${isOwn('$2', 'e.platform_id')} and ${isOwn('$3', 'e.benefit_provider_id')}
      and e.on_day between coalesce($4::date, '-infinity') and coalesce($5::date, 'infinity')
      and (e.last_modified_at, e.endorsement_id) < ($6::timestamptz, $7)
    order by e.last_modified_at desc, e.endorsement_id desc
    limit $8`,
  { replans: true },
)

type FoundRow = { data_key: string; dependant_sealed: string | null; user_sealed: string | null }

type Schedule = Pick<ChangesValues, 'after' | 'limit'> & {
  scope: Scope
  master_policy_number: string
  from?: Day | undefined
  to?: Day | undefined
}

/** Returns the endorsements in scope of the policies with this number that begin within some days, last change first. */
export async function findEndorsementsOfGroup(
  { db, vault }: { db: Queryable; vault: Vault },
  { scope, master_policy_number: number, from, to, ...page }: Schedule,
) {
  const [, , changedAt, id, limit] = changesValues({ states: undefined, changedAfter: undefined, ...page })
  const values = [number, scope.platformId, scope.providerId, from ?? null, to ?? null, changedAt, id, limit]
  const rows = await db.query<FoundRow>(FIND, values)
  return rows.map((row) => {
    const endorsement = ENDORSEMENT.decode(row)
    return {
      ...endorsement,
      ...OF_POLICY.decode(row),
      ...CHANGED.decode(row),
      person: unsealPerson(vault, endorsement, row),
    }
  })
}

const NOBODY = { first_name: null, last_name: null, date_of_birth: null }

function unsealPerson(vault: Vault, { userId, personId }: Endorsement, row: FoundRow): ScheduledEndorsement['person'] {
  const { data_key: wrapped, dependant_sealed: sealed, user_sealed: ofUser } = row
  if (personId === null || (sealed === null && ofUser === null)) return NOBODY
  const key = vault.unwrap(wrapped)
  if (ofUser !== null) {
    const { first_name = null, last_name = null, dob = null } = unsealProfileTolerantly(key, { id: userId }, ofUser)
    return { first_name, last_name, date_of_birth: dob }
  }
  const { first_name, last_name, date_of_birth } = unsealDependantTolerantly(key, {
    userId,
    id: personId,
    sealed: sealed ?? '',
  })
  return { first_name, last_name, date_of_birth }
}
