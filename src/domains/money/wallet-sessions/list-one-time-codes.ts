import type { Static } from 'typebox'
import { type Code, findRejection, isVoid, listCodes, SHOWN_HOURS } from '../../../access/otp-outcomes.ts'
import { isDead } from '../../../access/otp.ts'
import { type UserScope, userScopeFrom } from '../../../access/scope.ts'
import { wireTime } from '../../../kernel/clock.ts'
import type { Page } from '../../../kernel/db/page.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { type Deps, operation } from '../../../record/index.ts'
import { ensureUserInPath, findUser, phoneOf, UserPath } from '../../people/users/index.ts'
import { hashOtpPhone } from './request-otp.ts'
import { tags } from './records.ts'

const CODE_STATES = ['QUEUED', 'SENT', 'FAILED', 'USED', 'EXPIRED', 'VOID', 'REFUSED_BY_LIMIT'] as const

const OneTimeCodeRecord = record(
  'OneTimeCode',
  {
    requested_at: Timestamp('Time of the request'),
    state: OneOf(CODE_STATES, {
      description:
        'QUEUED: to be sent; SENT: accepted by the SMS gateway; FAILED: not accepted, tried again until it expires; USED: a session began with it; EXPIRED: after five minutes or five wrong codes; VOID: the phone number was changed, or the sessions ended, before it was used; REFUSED_BY_LIMIT: not made, because of too many requests',
    }),
    retry_at: Nullable(
      Timestamp('When the next request is not refused; `null` except for the one that was refused last'),
    ),
  },
  {
    description: 'A request for a one-time code, without the code',
    examples: [{ requested_at: '2026-04-01T11:00:00', state: 'REFUSED_BY_LIMIT', retry_at: '2026-04-01T11:00:30' }],
  },
)

export const listOneTimeCodes = operation('GET /users/:user_id/one_time_codes', {
  access: 'listOneTimeCodes',
  tags,
  summary: 'List the one-time codes of a user',
  description: `What became of the requests of the last ${SHOWN_HOURS} hours, newest first, to help somebody who cannot sign in; never a code. Of refused requests, only the last one for the phone, if it was made at the user's platform.`,
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(OneTimeCodeRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) => paged(call, (page) => findEntries(call.deps, userScopeFrom(call.request), page), presentEntry),
})

type Entry = { at: Date; state: (typeof CODE_STATES)[number]; retryAt: Date | null }

async function findEntries({ db, vault, clock }: Deps, scope: UserScope, { limit, offset }: Page) {
  const { id, platformId, profile } = await findUser(db, vault, scope)
  const now = clock.now()
  const phone = phoneOf(profile)
  const [codes, rejection] = await Promise.all([
    listCodes(db, id, now),
    phone === null ? undefined : findRejection(db, { phoneKey: hashOtpPhone(vault, phone), platformId }, now),
  ])
  const entries: Entry[] = codes.map((code) => ({ at: code.createdAt, state: findState(code, now), retryAt: null }))
  if (rejection) entries.unshift({ at: rejection.refusedAt, state: 'REFUSED_BY_LIMIT', retryAt: rejection.retryAt })
  const newestFirst = entries.toSorted((one, other) => other.at.getTime() - one.at.getTime())
  return { rows: newestFirst.slice(offset, offset + limit), total: entries.length }
}

const presentEntry = ({ at, state, retryAt }: Entry): Static<typeof OneTimeCodeRecord> => ({
  requested_at: wireTime(at),
  state,
  retry_at: retryAt && wireTime(retryAt),
})

function findState(code: Code, now: Date): Entry['state'] {
  if (code.usedAt) return 'USED'
  if (isVoid(code)) return 'VOID'
  if (code.failedAt && !code.sentAt) return 'FAILED'
  if (isDead(code, now)) return 'EXPIRED'
  return code.sentAt ? 'SENT' : 'QUEUED'
}
