import { type Queryable, statement } from '../db/database.ts'

/** Long enough for a batch, short enough that a dead holder is soon replaced. */
const LEASE_SECONDS = 20

const TAKE = statement(
  'leases_take',
  `insert into leases (lease_name, holder, held_until) values ($1, $2, now() + $3 * interval '1 second')
       on conflict (lease_name) do update
          set holder = excluded.holder, held_until = excluded.held_until
        where leases.holder = excluded.holder or leases.held_until < now()
   returning holder`,
)

const RELEASE = statement('leases_release', 'delete from leases where lease_name = $1 and holder = $2')

/**
 * Resolves to true when this holder has or acquires the lease; call it before every batch. It only keeps workers out of
 * each other's way; the work itself must be safe to run twice.
 */
export async function takeLease(db: Queryable, lease: { name: string; holder: string }): Promise<boolean> {
  return (await db.query(TAKE, [lease.name, lease.holder, LEASE_SECONDS])).length > 0
}

export async function releaseLease(db: Queryable, lease: { name: string; holder: string }): Promise<void> {
  await db.query(RELEASE, [lease.name, lease.holder])
}
