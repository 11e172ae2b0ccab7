import type { Caller } from '../../../access/caller.ts'
import { isOwn, toScope } from '../../../access/scope.ts'
import { integer, nullable, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { recordedWrite } from '../../../record/index.ts'
import { DEPOSIT_PARTS } from './draw-store.ts'
import { type Deposit, DEPOSIT, DEPOSIT_KEY, type DepositKey, type Entry, ENTRY } from './records.ts'

/** SQL: the sponsor `s` is the platform's, and has or had a benefit at the benefit provider, of its own or the caller's. */
const isParty = (named: string, platform: string, provider: string) => `${isOwn(platform, 's.platform_id')}
      and exists (select from benefits b where b.sponsor_id = s.sponsor_id and (${named}::text is null or b.benefit_provider_id = ${named})
                     and ${isOwn(provider, 'b.benefit_provider_id')})`

const FIND = statement(
  'deposits_find',
  `select $1 as sponsor_id, $2 as benefit_provider_id, coalesce(d.balance_paise, 0) as balance_paise, d.low_below_paise,
          coalesce(d.revision, 0) as revision, coalesce(d.created_at, now()) as created_at,
          coalesce(d.last_modified_at, now()) as last_modified_at
     from sponsors s
     left join deposits d on d.sponsor_id = $1 and d.benefit_provider_id = $2
    where s.sponsor_id = $1 and ${isParty('$2', '$3', '$4')}`,
)

type Target = {
  deps: { db: Queryable }
  request: { caller: Caller }
  params: { sponsor_id: string; benefit_provider_id: string }
}

/** Returns the deposit in the path, one without an entry, too, whose revision is 0. Throws 404 `not_found` when the caller is no party to a benefit of the two. */
export async function findDeposit({ deps, request, params }: Target): Promise<Deposit> {
  const { platformId, providerId } = toScope(request.caller)
  const values = [params.sponsor_id, params.benefit_provider_id, platformId, providerId]
  return DEPOSIT.decode(foundRow(await deps.db.query<object>(FIND, values)))
}

const FIND_ENTRY = statement(
  'deposit_entries_find',
  `select ${ENTRY.list}
     from deposit_entries e
    where e.sponsor_id = $1 and e.benefit_provider_id = $2 and e.reference = $3`,
)

type OfReference = DepositKey & { reference: string }

export async function findEntry(db: Queryable, of: OfReference): Promise<Entry | undefined> {
  const [row] = await db.query<object>(FIND_ENTRY, [of.sponsorId, of.benefitProviderId, of.reference])
  return row && ENTRY.decode(row)
}

/** Makes an entry that the benefit provider names. The unique reference has one of two equal calls read again. */
export const ADD_ENTRY = recordedWrite({
  name: 'deposits_add_entry',
  values: {},
  single: 'select 1 as n',
  linked: DEPOSIT_PARTS,
  events: false,
})

/** Sets the level below which a deposit is low, guarded by the revision that was read. Marks that it is low by that. */
export const SET_LOW_BELOW = recordedWrite({
  name: 'deposits_set_low_below',
  values: {
    ...DEPOSIT_KEY,
    lowBelowPaise: nullable(integer('low_below_paise')),
    revision: integer('revision'),
    at: time('at'),
  },
  single: `insert into deposits as d (sponsor_id, benefit_provider_id, low_below_paise, crossed_at, created_at, last_modified_at)
     values (:sponsor_id, :benefit_provider_id, :low_below_paise, case when :low_below_paise::bigint is not null then :at::timestamptz end, :at, :at)
     on conflict (sponsor_id, benefit_provider_id) do update
        set low_below_paise = excluded.low_below_paise, revision = d.revision + 1, last_modified_at = excluded.last_modified_at,
            crossed_at = case when excluded.low_below_paise is null then null
                              when d.balance_paise < excluded.low_below_paise and (d.low_below_paise is null or d.balance_paise >= d.low_below_paise)
                                then excluded.last_modified_at
                              else d.crossed_at end
      where d.revision = :revision
     returning 1 as n`,
  events: false,
})

const LIST = statement(
  'deposits_list',
  listText(
    {
      columns: DEPOSIT.list,
      from: 'deposits d',
      where: `d.sponsor_id = $1 and ${isOwn('$3', 'd.benefit_provider_id')}`,
      order: 'd.benefit_provider_id',
      limit: '$4',
      offset: '$5',
    },
    {
      from: 'sponsors s',
      where: `s.sponsor_id = $1 and ($3::text is null and ${isOwn('$2', 's.platform_id')} or ${isParty('null', '$2', '$3')})`,
    },
  ),
)

type OfSponsor = { deps: { db: Queryable }; request: { caller: Caller }; params: { sponsor_id: string } }

/** Returns the deposits of a sponsor, those at the caller where it is a benefit provider. Throws 404 `not_found` when it is no party. */
export async function findDeposits(
  { deps, request, params }: OfSponsor,
  { limit, offset }: Page,
): Promise<Paged<Deposit>> {
  const { platformId, providerId } = toScope(request.caller)
  const values = [params.sponsor_id, platformId, providerId, limit, offset]
  return decodeOwnedPage(await deps.db.query<{ total: number }>(LIST, values), 'sponsor_id', DEPOSIT.decode)
}

const LIST_ENTRIES = statement(
  'deposit_entries_list',
  listText(
    {
      columns: ENTRY.list,
      from: 'deposit_entries e',
      where: `e.sponsor_id = $1 and e.benefit_provider_id = $2
          and ($7::timestamptz is null or e.created_at >= $7) and ($8::timestamptz is null or e.created_at < $8)`,
      order: 'e.entry_id desc',
      limit: '$5',
      offset: '$6',
    },
    { from: 'sponsors s', where: `s.sponsor_id = $1 and ${isParty('$2', '$3', '$4')}` },
  ),
)

type Period = { from?: Date | undefined; before?: Date | undefined }

/** Returns a page of the entries of a deposit, newest first. Throws 404 `not_found` when the caller is no party to it. */
export async function findEntries(
  { deps, request, params }: Target,
  { limit, offset }: Page,
  { from, before }: Period,
): Promise<Paged<Entry>> {
  const { platformId, providerId } = toScope(request.caller)
  const period = [from, before].map((at) => at?.toISOString() ?? null)
  const values = [params.sponsor_id, params.benefit_provider_id, platformId, providerId, limit, offset, ...period]
  return decodeOwnedPage(await deps.db.query<{ total: number }>(LIST_ENTRIES, values), 'entry_id', ENTRY.decode)
}
