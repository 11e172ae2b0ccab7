import { isOwn, type Scope } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Day } from '../../../kernel/date.ts'
import { columns, day, type RecordOf } from '../../../kernel/db/columns.ts'
import { type ChangesValues, changesValues, sinceValues } from '../../../kernel/db/changes-text.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserText } from '../../people/users/index.ts'
import { EXPIRY, expiryText, FOUND, type FoundRow, type Policy, unsealFound } from '../policies/index.ts'

const ENROLLED = columns('p', { enrolledOn: day('enrolled_on') })

/** A policy of a group with what its days depend on. */
export type GroupPolicy = Policy & { enrolledOn: Day; expiry: RecordOf<typeof EXPIRY> | undefined }

const groupText = (after: string, order: 'asc' | 'desc') =>
  `select ${FOUND}, (p.created_at at time zone 'Asia/Kolkata')::date as enrolled_on,
          e.has_expired, ${EXPIRY.list}, (extract(epoch from p.last_modified_at) * 1000000)::bigint as changed_at_us
     from insurance_policies p
     ${joinUserText('p')}
     join benefits b on b.benefit_id = p.benefit_id
     left join lateral (select true as has_expired, x.* from (${expiryText('p.user_id')}) x) e on true
    where p.master_policy_number = $1 and ${isOwn('$2', 'u.platform_id')} and ${isOwn('$3', 'p.benefit_provider_id')}
      and p.issue > 0 and (p.last_modified_at, p.policy_id) ${after} ($4::timestamptz, $5)
    order by p.last_modified_at ${order}, p.policy_id ${order}
    limit $6`

const FIND = statement('insurance_policies_of_group', groupText('<', 'desc'))
const FIND_OLDEST = statement('insurance_policies_of_group_oldest', groupText('>', 'asc'))

type Search = Pick<ChangesValues, 'after' | 'limit'> & { scope: Scope; number: string }

/** Returns the issued policies in scope with this master policy number, last change first. */
export async function findPoliciesOfGroup(
  { db, vault }: { db: Queryable; vault: Vault },
  { number, scope, ...page }: Search,
) {
  const [, , changedAt, id, limit] = changesValues({ states: undefined, changedAfter: undefined, ...page })
  const values = [number, scope.platformId, scope.providerId, changedAt, id, limit]
  const rows = await db.query<GroupRow>(FIND, values)
  return rows.map((row) => decodeGroup(row, vault))
}

type GroupRow = FoundRow & { has_expired: true | null }

function decodeGroup(row: GroupRow, vault: Vault) {
  const expiry = row.has_expired ? EXPIRY.decode(row) : undefined
  const policy: GroupPolicy = { ...unsealFound(row, vault), ...ENROLLED.decode(row), expiry }
  return { id: policy.id, policy, ...CHANGED.decode(row) }
}

/** So many are read, decrypted and held in memory at a time. */
const PAGE_ROWS = 500

/**
 * Yields the same policies in pages, last change last: one that changes during that is there again, and none is left out.
 */
export async function* everyPolicyOfGroup(
  { db, vault }: { db: Queryable; vault: Vault },
  { number, scope }: Pick<Search, 'number' | 'scope'>,
): AsyncGenerator<GroupPolicy[]> {
  let after: ChangesValues['after']
  do {
    const [, , changedAt, id, limit] = sinceValues({
      states: undefined,
      changedAfter: undefined,
      after,
      limit: PAGE_ROWS,
    })
    const values = [number, scope.platformId, scope.providerId, changedAt, id, limit]
    const page = (await db.query<GroupRow>(FIND_OLDEST, values)).map((row) => decodeGroup(row, vault))
    yield page.map(({ policy }) => policy)
    after = page.length === PAGE_ROWS ? page.at(-1) : undefined
  } while (after)
}
