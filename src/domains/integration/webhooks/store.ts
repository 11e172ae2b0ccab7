import { instant, integer, nullable, oneOf, type RecordOf, text, texts, time } from '../../../kernel/db/columns.ts'
import type { Caller } from '../../../access/caller.ts'
import { foundRow, type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { recordedWrite } from '../../../record/index.ts'
import { helpsPartners, type Owner, ownerOf, OWNER_KINDS } from './owner-of.ts'
import { DISABLED_REASONS, ENDPOINT_STATUSES } from './states.ts'

/** Maximum number per owner; also a check of the table. */
export const ENDPOINTS_MAX = 20

const ENDPOINT = table('webhook_endpoints w', {
  id: text('endpoint_id'),
  ownerKind: oneOf('owner_kind', OWNER_KINDS),
  ownerId: text('owner_id'),
  url: text('url'),
  eventTypes: texts('event_types'),
  sealedDescription: nullable(text('sealed_description')),
  status: oneOf('status', ENDPOINT_STATUSES),
  disabledReason: nullable(oneOf('disabled_reason', DISABLED_REASONS)),
  dataKey: text('data_key'),
  secret: text('secret'),
  previousSecret: nullable(text('previous_secret')),
  previousSecretUntil: nullable(instant('previous_secret_until')),
  failingSince: nullable(instant('failing_since')),
  beginsAt: { ...text('begins_at'), select: (w) => `${w}.begins_at::text as begins_at` },
  ...VERSION,
})

type Row = RecordOf<typeof ENDPOINT>
/** An endpoint with sealed secrets and a sealed description. */
export type Endpoint = Omit<Row, 'ownerKind' | 'ownerId'> & { owner: Owner }

const decode = (row: object): Endpoint => ofOwner(ENDPOINT.decode(row))
const ofOwner = ({ ownerKind: kind, ownerId: id, ...endpoint }: Row): Endpoint => ({ ...endpoint, owner: { kind, id } })

const IS_OWN = 'w.deleted_at is null and w.owner_kind = $1 and w.owner_id = $2'

const FIND = statement('webhook_endpoints_find', `${ENDPOINT.select} where ${IS_OWN} and w.endpoint_id = $3`)

const LIST = statement('webhook_endpoints_list', ENDPOINT.newest({ where: IS_OWN, limit: '$3', offset: '$4' }))

const LIST_OF_PARTNER = statement(
  'webhook_endpoints_list_of_partner',
  ENDPOINT.newest({
    where: `w.deleted_at is null and w.owner_kind in ('platform', 'provider') and w.owner_id = $1`,
    limit: '$2',
    offset: '$3',
  }),
)

/** SQL: the endpoint `w` is not that of a disabled platform. */
const IS_SERVED = `not (w.owner_kind = 'platform' and exists (
          select from platforms p where p.platform_id = w.owner_id and p.status <> 'ACTIVE'))`

const LIST_FAILING = statement(
  'webhook_endpoints_list_failing',
  ENDPOINT.newest({
    where: `w.deleted_at is null and w.owner_kind in ('platform', 'provider') and ${IS_SERVED}
      and (w.status = 'ACTIVE' and w.failing_since is not null
           or w.status = 'DISABLED' and w.disabled_reason in ('failing', 'gone'))`,
    limit: '$1',
    offset: '$2',
  }),
)

const FIND_SLOTS = statement('webhook_endpoints_find_slots', `select w.slot from webhook_endpoints w where ${IS_OWN}`)

/** SQL: the endpoint `w` is active. Endpoints of disabled platforms are not. */
export const IS_USED = `w.deleted_at is null and w.status = 'ACTIVE'
    and ${IS_SERVED}`

const LIST_USED = statement('webhook_endpoints_list_used', `${ENDPOINT.select} where ${IS_USED}`)

const LIST_USED_OF = statement(
  'webhook_endpoints_list_used_of',
  `${ENDPOINT.select} where ${IS_USED} and w.endpoint_id = any ($1)`,
)

const FIND_ANY = statement(
  'webhook_endpoints_find_any',
  `${ENDPOINT.select} where w.endpoint_id = $1 and w.deleted_at is null`,
)

/** A slot taken concurrently violates the key: rereading finds a free one, or none. */
export const INSERT_ENDPOINT = recordedWrite({
  name: 'webhook_endpoints_insert',
  values: {
    id: text('endpoint_id'),
    ownerKind: text('owner_kind'),
    ownerId: text('owner_id'),
    slot: integer('slot'),
    url: text('url'),
    eventTypes: texts('event_types'),
    sealedDescription: nullable(text('sealed_description')),
    status: text('status'),
    dataKey: text('data_key'),
    secret: text('secret'),
    at: time('at'),
    beginsAt: text('begins_at'),
  },
  insert: 'webhook_endpoints',
  columns:
    'endpoint_id, owner_kind, owner_id, slot, url, event_types, sealed_description, status, data_key, secret, ' +
    'created_at = :at, last_modified_at = :at, begins_at = :begins_at::xid8',
  history: 'catalogue',
})

const CHANGE = { update: 'webhook_endpoints w', key: 'w.endpoint_id = :endpoint_id', guard: 'w.revision = :revision' }

export const UPDATE_ENDPOINT = recordedWrite({
  name: 'webhook_endpoints_update',
  values: {
    id: text('endpoint_id'),
    revision: integer('revision'),
    url: text('url'),
    eventTypes: texts('event_types'),
    sealedDescription: nullable(text('sealed_description')),
    status: text('status'),
    disabledReason: nullable(text('disabled_reason')),
    failingSince: nullable(time('failing_since')),
    at: time('at'),
  },
  ...CHANGE,
  set: `url = :url, event_types = :event_types, sealed_description = :sealed_description, status = :status,
               disabled_reason = :disabled_reason, failing_since = :failing_since, revision = w.revision + 1,
               last_modified_at = :at`,
  history: 'catalogue',
})

export const ROTATE_SECRET = recordedWrite({
  name: 'webhook_endpoints_rotate_secret',
  values: {
    id: text('endpoint_id'),
    revision: integer('revision'),
    secret: text('secret'),
    previousSecret: text('previous_secret'),
    previousSecretUntil: time('previous_secret_until'),
    at: time('at'),
  },
  ...CHANGE,
  set: `secret = :secret, previous_secret = :previous_secret, previous_secret_until = :previous_secret_until,
               revision = w.revision + 1, last_modified_at = :at`,
  events: false,
})

/** The deliveries are deleted later, in batches. */
export const DELETE_ENDPOINT = recordedWrite({
  name: 'webhook_endpoints_delete',
  values: { id: text('endpoint_id'), revision: integer('revision'), at: time('at') },
  ...CHANGE,
  set: 'deleted_at = :at, slot = null, revision = w.revision + 1',
  events: false,
})

const findEndpoint = async (db: Queryable, owner: Owner, id: string): Promise<Endpoint> =>
  ofOwner(ENDPOINT.decodeFound(await db.query<object>(FIND, [owner.kind, owner.id, id])))

type Target = { deps: { db: Queryable }; request: { caller: Caller }; params: { webhook_endpoint_id: string } }

/** Returns the caller's endpoint in the path. Throws 404 `not_found` when there is none. */
export const endpointInPath = ({ deps, request, params }: Target): Promise<Endpoint> =>
  findEndpoint(deps.db, ownerOf(request.caller), params.webhook_endpoint_id)

/** Returns the endpoint in the path, to read or replay it: an operator or owner may do so with those of partners. */
export const readableEndpointInPath = ({ deps, request: { caller }, params }: Target): Promise<Endpoint> =>
  helpsPartners(caller)
    ? findEndpointOfAnybody(deps.db, params.webhook_endpoint_id)
    : findEndpoint(deps.db, ownerOf(caller), params.webhook_endpoint_id)

/** Throws 404 `not_found` when there is none. */
export const findEndpointOfAnybody = async (db: Queryable, id: string): Promise<Endpoint> =>
  decode(foundRow(await db.query<object>(FIND_ANY, [id])))

/** Those of all partners that fail. */
export const FAILING = Symbol('failing')
type Whose = Owner | string | typeof FAILING

/** Returns a page of endpoints, newest first: of an owner, of the partner with an id, or those that fail. */
export async function findEndpoints(db: Queryable, whose: Whose, page: Page): Promise<Paged<Endpoint>> {
  const rows = await db.query<{ total: number }>(...chooseList(whose, page))
  const { total, rows: endpoints } = ENDPOINT.decodePage(rows)
  return { total, rows: endpoints.map(ofOwner) }
}

function chooseList(whose: Whose, { limit, offset }: Page): [Statement, unknown[]] {
  if (whose === FAILING) return [LIST_FAILING, [limit, offset]]
  if (typeof whose === 'string') return [LIST_OF_PARTNER, [whose, limit, offset]]
  return [LIST, [whose.kind, whose.id, limit, offset]]
}

export async function findSlots(db: Queryable, owner: Owner): Promise<Set<number>> {
  return new Set((await db.query<{ slot: number }>(FIND_SLOTS, [owner.kind, owner.id])).map(({ slot }) => slot))
}

export const listUsedEndpoints = async (db: Queryable): Promise<Endpoint[]> =>
  (await db.query<object>(LIST_USED)).map(decode)

export const listUsedEndpointsIn = async (db: Queryable, ids: string[]): Promise<Endpoint[]> =>
  (await db.query<object>(LIST_USED_OF, [ids])).map(decode)
