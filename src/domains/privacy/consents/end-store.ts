import { decodeUserId } from '../../../access/user-id.ts'
import type { Day } from '../../../kernel/date.ts'
import {
  columns,
  day,
  decoded,
  flag,
  instant,
  integer,
  nullable,
  text,
  texts,
  time,
} from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { linkedInsert } from '../../../kernel/db/write-statement.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { recordedWrite } from '../../../record/index.ts'
import { birthOf, listLines } from '../../people/dependants/index.ts'
import { joinUserText, STAYS_THERE, USER_PROFILE } from '../../people/users/index.ts'
import { CONSENTS, type StoredConsent } from './records.ts'
import { decodeProviders, PROVIDERS } from './store.ts'

/** SQL: the words of the index `consents_to_end`. */
const LOOK_ON = `coalesce(c.look_on, '2000-01-01'::date)`

const DUE = columns('c', { id: text('consent_id'), userId: decoded('user_id', decodeUserId) })
const LIST_DUE = statement(
  'consents_list_to_end',
  `select ${DUE.list}
     from consents c ${joinUserText('c')}
    where c.given_by <> 'SELF' and c.withdrawn_at is null and c.ended_at is null
      and ${LOOK_ON} <= $1 and c.consent_id <> all ($2::text[])
    order by ${LOOK_ON}, c.consent_id
    limit $3`,
)

export type DueConsent = { id: string; userId: string }

/** Returns consents of parents and guardians that have to be looked at by today. */
export async function listDueConsents(
  db: Queryable,
  { today, without, limit }: { today: Day; without: string[]; limit: number },
): Promise<DueConsent[]> {
  return (await db.query<object>(LIST_DUE, [today, without, limit])).map(DUE.decode)
}

const LOOKED = columns('c', { givenAt: instant('created_at'), lookOn: nullable(day('look_on')) })
const FIND_TO_END = statement(
  'consents_find_to_end',
  `select ${CONSENTS.list}, ${LOOKED.list}, u.data_key, u.sealed as user_sealed, ${PROVIDERS},
          array(select a.first_id from came_of_age a where a.user_id = $1) as of_age,
          array(select coalesce(s.dependant_id, s.user_id) from consents s
                 where s.user_id = $1 and s.given_by = 'SELF' and s.withdrawn_at is null) as self_given
     from consents c ${joinUserText('c')}
    where u.user_id = $1 and c.user_id = $1 and c.consent_id = $2`,
)
const { decode: decodeOfAge } = texts('of_age')
const { decode: decodeSelfGiven } = texts('self_given')

/** A person that the consent of a parent or guardian can be about. */
export type Person = { firstId: string; personId: string; versions: readonly string[]; born: Day | undefined }

type Registered = Person & { registeredAt: Date }

/** A consent of a parent or guardian, with the people that it can be about. */
export type Endable = {
  consent: StoredConsent & { givenAt: Date; lookOn: Day | null }
  user: Person
  dependants: Registered[]
  providers: string[]
  /** First versions of those who turned 18 before. */
  ofAge: ReadonlySet<string>
  /** Ids, of any version, of those who have consented themselves. */
  selfGiven: ReadonlySet<string>
}

/** Returns a consent with what its end is decided on; undefined for a user who is erased. A birth that cannot be read is not known. */
export async function findEndable(
  { db, vault }: { db: Queryable; vault: Vault },
  { id, userId }: DueConsent,
): Promise<Endable | undefined> {
  type Row = Record<'data_key' | 'user_sealed', string> & Record<'providers' | 'of_age' | 'self_given', unknown>
  const [row] = await db.query<Row>(FIND_TO_END, [userId, id])
  if (!row) return undefined
  const key = () => vault.unwrap(row.data_key)
  const lines = await listLines(db, userId)
  const profile = USER_PROFILE.unsealOr(key, { id: userId }, row.user_sealed, undefined)
  return {
    consent: { ...CONSENTS.decode(row), ...LOOKED.decode(row) },
    user: { firstId: userId, personId: userId, versions: [userId], born: profile?.dob },
    dependants: lines.map(({ id: personId, sealed, ...line }) => ({
      ...line,
      personId,
      born: birthOf(key, { userId, id: personId, sealed }),
    })),
    providers: decodeProviders(row.providers),
    ofAge: new Set(decodeOfAge(row.of_age)),
    selfGiven: new Set(decodeSelfGiven(row.self_given)),
  }
}

const KEY = { userId: text('user_id'), id: text('consent_id'), revision: integer('revision') }
const LOOK = { seen: nullable(day('seen')), lookOn: day('look_on') }
const AS_SEEN = {
  update: 'consents c',
  key: 'c.user_id = :user_id and c.consent_id = :consent_id',
  guard: `c.revision = :revision and c.look_on is not distinct from :seen and ${STAYS_THERE}`,
}

/** Stores when to look at a consent next; it is the same for its readers. */
export const LOOK_LATER = recordedWrite({
  name: 'consents_look_later',
  values: { ...KEY, ...LOOK },
  ...AS_SEEN,
  set: 'look_on = :look_on',
  events: false,
  audited: false,
})

export const LINKED_OF_AGE = linkedInsert('came_of_age', {
  userId: text('user_id'),
  firstId: text('first_id'),
  personId: text('person_id'),
  waitsSince: nullable(time('waits_since')),
  createdAt: time('created_at'),
})

/** Ends a consent for those who are 18; for all, when nobody else is left. */
export const END_CONSENT = recordedWrite({
  name: 'consents_end',
  values: { ...KEY, ...LOOK, isOver: flag('is_over'), at: time('at') },
  ...AS_SEEN,
  set: `look_on = :look_on, ended_at = case when :is_over then :at::timestamptz end, revision = c.revision + 1, last_modified_at = :at`,
  linked: [LINKED_OF_AGE],
})
