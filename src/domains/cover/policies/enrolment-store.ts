import {
  LINKED_PROVIDERS,
  SCOPE_PARAMETERS,
  scopeValues,
  userIsInScope,
  type UserScope,
} from '../../../access/scope.ts'
import { columns, flag, integer, json, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { foundRow } from '../../../kernel/db/database.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { type Deps, recordedWrite } from '../../../record/index.ts'
import type { Benefit } from '../../partners/benefits/index.ts'
import { SNAPSHOT_PARTS } from '../documents/store.ts'
import { decodeUser, type User, USER_COLUMNS } from '../../people/users/index.ts'
import { ROW } from './change-store.ts'
import type { Cover } from './find-rejection.ts'
import { type Owner, POLICY } from './records.ts'
import { coversText, JOIN_PARTIES, type Parties, PARTIES, type PartiesRow, decodeParties } from './store.ts'
import { type OwnerRow, unsealDependants } from './unseal-policy.ts'

/** A benefit offered for enrolment. */
const OFFER = columns('o', {
  benefitId: text('benefit_id'),
  benefitName: text('benefit_name'),
  benefitProviderId: text('benefit_provider_id'),
  sponsorId: text('sponsor_id'),
  isArchived: flag('is_archived'),
  isSponsorInactive: flag('is_sponsor_inactive'),
  plans: json<Benefit['plans']>('plans'),
})

const FIND_ENROLMENT = batchedRead<EnrolmentRow>({
  name: 'insurance_policies_find_enrolment',
  parameters: `${SCOPE_PARAMETERS}, benefit_id text, plan_code text, dependant_ids text[]`,
  text: (calls, user, platform, provider, benefit, plan, dependants) =>
    `select c.n::int, ${USER_COLUMNS}, ${OFFER.list}, o.sponsor_key, o.sponsor_sealed, o.provider_name, o.provider_address, o.provider_colour,
          (select json_object_agg(d.dependant_id, d.sealed)
             from dependants d
            where d.user_id = ${user} and d.dependant_id = any (${dependants})
              and d.superseded_at is null) as dependants,
          ${coversText({ user, benefit, plan })} as others
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
     left join lateral (
       select b.benefit_id, b.name as benefit_name, b.benefit_provider_id, b.plans, ${PARTIES},
              b.status = 'ARCHIVED' as is_archived, s.status = 'INACTIVE' as is_sponsor_inactive
         from benefits b
         ${JOIN_PARTIES}
        where b.benefit_id = ${benefit} and b.platform_id = u.platform_id) o on true`,
})

type EnrolmentRow = Pick<OwnerRow, 'dependants'> & { others: Cover[] | null } & (
    | { benefit_id: null }
    | ({ benefit_id: string } & PartiesRow)
  )

/**
 * Inserts a policy. Guarded, so that until it exists the benefit is not archived, the sponsor stays active and no
 * dependant gets a new version.
 */
export const ENROL = recordedWrite({
  name: 'insurance_policies_enrol',
  values: {
    userId: text('user_id'),
    coverRevision: integer('cover_revision'),
    benefitId: text('benefit_id'),
    sponsorId: text('sponsor_id'),
    row: ROW,
  },
  single: `covered as (
       update users
          set cover_revision = cover_revision + 1
        where user_id = :user_id and cover_revision = :cover_revision
          and exists (select from benefits where benefit_id = :benefit_id and status = 'ACTIVE' for share)
          and exists (select from sponsors where sponsor_id = :sponsor_id and status <> 'INACTIVE' for share)
       returning user_id
     ), changed as (
       insert into insurance_policies (${POLICY.names}, platform_id, status_since)
       select ${POLICY.list}, p.platform_id, p.status_since
         from covered
         join json_populate_record(null::insurance_policies, :policy) as p using (user_id)
       returning 1 as n)`,
  batch: `offered as (
       select benefit_id from benefits
        where benefit_id in (select benefit_id from calls) and status = 'ACTIVE'
          for share skip locked
     ), paid as (
       select sponsor_id from sponsors
        where sponsor_id in (select sponsor_id from calls) and status <> 'INACTIVE'
          for share skip locked
     ), locked as (
       select c.n
         from calls c
         join users u on u.user_id = :user_id and u.cover_revision = :cover_revision
        where :benefit_id in (select benefit_id from offered) and :sponsor_id in (select sponsor_id from paid)
          for no key update of u skip locked
     ), covered as (
       update users u
          set cover_revision = u.cover_revision + 1
         from calls c
         join locked h on h.n = c.n
        where u.user_id = :user_id
       returning c.n, :user_id, :policy
     ), inserted as (
       insert into insurance_policies (${POLICY.names}, platform_id, status_since)
       select ${POLICY.list}, p.platform_id, p.status_since
         from covered v
        cross join lateral json_populate_record(null::insurance_policies, v.policy) as p
        order by v.user_id
       returning user_id
     ), changed as (select n from covered join inserted using (user_id))`,
  linked: [LINKED_PROVIDERS, ...SNAPSHOT_PARTS],
  history: 'user',
})

/**
 * What an enrolment is decided on: the user, the benefit if it belongs to their platform, and the referenced dependants
 * that are current.
 */
export type EnrolmentData = {
  user: User
  offer: (RecordOf<typeof OFFER> & Parties) | undefined
  dependant: Owner['dependant']
  /** The covers of the user's open policies in the plan. */
  others: readonly Cover[]
}

/** Returns the data of an enrolment. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findEnrolmentData(
  { db, vault }: Deps,
  scope: UserScope,
  { benefitId, planCode, dependantIds }: { benefitId: string; planCode: string; dependantIds: string[] },
): Promise<EnrolmentData> {
  const row = foundRow(await FIND_ENROLMENT(db, [...scopeValues(scope), benefitId, planCode, dependantIds]))
  const user = decodeUser(row, vault)
  return {
    user,
    offer: row.benefit_id === null ? undefined : { ...OFFER.decode(row), ...decodeParties(row, vault) },
    dependant: unsealDependants({ userId: user.id, key: user.key }, row.dependants),
    others: row.others ?? [],
  }
}
