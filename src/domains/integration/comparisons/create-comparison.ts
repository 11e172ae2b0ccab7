import { type Static, Type } from 'typebox'
import { actorFrom, type Caller } from '../../../access/caller.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { addDays } from '../../../kernel/date.ts'
import { forEachWord } from '../../../kernel/for-each-word.ts'
import { createEtag } from '../../../kernel/http/conditional.ts'
import { fileBody, FileBody } from '../../../kernel/http/file-body.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { DayText, OneOf, Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { applyWithRetry, type Call, type Deps, operation } from '../../../record/index.ts'
import { everyEntry, findBalanceOn, findDeposit } from '../../cover/deposits/index.ts'
import { CSV_TYPES, FILE_BYTES_MAX, readFile } from '../imports/read-file.ts'
import { compareDeposit, DAYS_APART_MAX } from './compare-deposit.ts'
import { compareGroup } from './compare-group.ts'
import { inOrder } from './in-order.ts'
import { MEMBER_KIND, readLines } from './read-lines.ts'
import { readStatement, STATEMENT_KIND } from './read-statement.ts'
import {
  type Comparison,
  COMPARISON_KINDS,
  type ComparisonKind,
  ComparisonRecord,
  DIFFERENCES,
  type Difference,
  presentComparison,
  tags,
  versionOf,
} from './records.ts'
import { deleteDifferences, insertComparison, insertDifferences } from './store.ts'

const ComparisonQuery = Type.Object(
  {
    kind: OneOf(COMPARISON_KINDS, {
      description: 'What a row is: a member of a group policy, or an entry of a deposit.',
    }),
    master_policy_number: Type.Optional(
      Text({ description: 'For `members`, which must name it: the number of the group policy.' }),
    ),
    sponsor_id: Type.Optional(Text({ description: 'For `deposit`, which must name it: the sponsor.' })),
    benefit_provider_id: Type.Optional(
      Text({ description: 'For `deposit`, which must name it: the benefit provider.' }),
    ),
    from: Type.Optional(
      DayText({ description: 'For `deposit`: the first day of the file; that of the first entry unless it is named.' }),
    ),
    on: Type.Optional(
      DayText({
        description: 'The day of the file, of `deposit` its last one; today in India unless it is named.',
      }),
    ),
  },
  { additionalProperties: false },
)
type Query = Static<typeof ComparisonQuery>

export const createComparison = operation('POST /comparisons', {
  access: 'createComparison',
  tags,
  summary: 'Compare a file with what is stored',
  description:
    'Takes a file of a benefit provider or its administrator (TPA), as CSV in UTF-8: up to 100,000 rows and 64 MiB. `members` is the member file of one group policy; ' +
    'the columns are those of `POST /v1/members/search`. `deposit` is the statement of a deposit; the columns are those of ' +
    '`GET /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries`, or the usual ones of a statement. The file of either compares without a difference. ' +
    'The response comes when all is compared, with the number of differences of each kind; ' +
    '`GET /v1/comparisons/{comparison_id}/differences` lists them. Nothing else is changed. The same file has the same response as long as nothing has changed here. ' +
    '[/docs/partners/comparing](/docs/partners/comparing) has the columns.',
  querystring: ComparisonQuery,
  body: FileBody({
    'text/csv': 'external_policy_id,first_name,last_name,date_of_birth\r\nSG-2026-000123,Ravi,Example,2015-08-02\r\n',
  }),
  versioned: true,
  response: { 201: ComparisonRecord },
  problems: ['not_found'],
  validate: ({ query }) => queryErrors((query ?? {}) as Partial<Query>),
  readsBody: () => fileBody(CSV_TYPES, FILE_BYTES_MAX),
  // Not `change`: the file is read before the write.
  read: (call) => receive(call),
})

type ComparisonCall = Call<Deps, Type.TUnknown, typeof ComparisonQuery, ReturnType<typeof FileBody>>

const REQUIRED = {
  members: ['master_policy_number'],
  deposit: ['sponsor_id', 'benefit_provider_id'],
} as const satisfies Record<ComparisonKind, readonly (keyof Query)[]>
const OTHERS = {
  members: [...REQUIRED.deposit, 'from'],
  deposit: REQUIRED.members,
} as const satisfies Record<ComparisonKind, readonly (keyof Query)[]>

function queryErrors(query: Partial<Query>): FieldError[] {
  const kind = COMPARISON_KINDS.find((one) => one === query.kind)
  if (kind === undefined) return []
  const { from, on } = query
  return [
    ...REQUIRED[kind]
      .filter((name) => query[name] === undefined)
      .map((name) => error(name, 'required', `A comparison of \`${kind}\` must name it.`)),
    ...OTHERS[kind]
      .filter((name) => query[name] !== undefined)
      .map((name) => error(name, 'not_allowed', `A comparison of \`${kind}\` has none. Leave it out.`)),
    ...(from !== undefined && on !== undefined && from > on
      ? [error('from', 'too_large', 'Must be `on` or earlier.')]
      : []),
  ]
}

const error = (name: keyof Query, code: FieldError['code'], detail: string): FieldError => ({
  pointer: `query:${name}`,
  code,
  detail,
})

type Columns = Pick<
  Comparison,
  'masterPolicyNumber' | 'sponsorId' | 'benefitProviderId' | 'from' | 'on' | 'rows' | 'persons' | 'entries'
>
type Compared = { columns: Columns; differences: readonly Difference[]; users: readonly string[] }

const COMPARE: Record<ComparisonKind, (call: ComparisonCall) => Promise<Compared>> = {
  members: comparedMembers,
  deposit: comparedDeposit,
}

async function receive(call: ComparisonCall) {
  const { deps, request, reply, query } = call
  const { columns, differences, users } = await COMPARE[query.kind](call)
  request.checkNotRevoked()
  // Whose names and births were read, although the response shows none.
  request.listed = users.map((userId) => ({ subject: userId, userId }))
  const id = newId('cmp')
  try {
    await insertDifferences(deps.db, id, inOrder(differences))
    const counts = forEachWord(DIFFERENCES, (kind) => differences.filter((one) => one.kind === kind).length)
    const row = { id, kind: query.kind, ...ownerOf(request.caller), ...columns, differences: counts }
    const made = await applyWithRetry(deps, actorFrom(request), (author) => insertComparison(row, author.at))
    reply
      .code(201)
      .header('location', createLocation(request, id))
      .header('etag', createEtag(versionOf(made)))
    return presentComparison(made)
  } catch (error) {
    await deleteDifferences(deps.db, id).catch(() => {}) // what is left ages
    throw error
  }
}

/** Whose comparison it is; that of an administrator is no partner's. */
const ownerOf = (caller: Caller) => ({
  platformId: caller.kind === 'platform' ? caller.platformId : null,
  providerId: caller.kind === 'provider' ? caller.benefitProviderId : null,
})

async function comparedMembers({ deps, request, query, body }: ComparisonCall): Promise<Compared> {
  const { master_policy_number: number = '' } = query
  const lines = await readLines(readFile({ ...body, kind: MEMBER_KIND }))
  const today = todayIn(deps.calendar)
  const on = query.on ?? today
  const group = { caller: request.caller, number, day: on, today }
  const { persons, users, differences } = await compareGroup(deps, group, lines)
  const none = { sponsorId: null, benefitProviderId: null, from: null, entries: null }
  const columns = { ...none, masterPolicyNumber: number, on, rows: lines.rowCount, persons }
  return { columns, differences, users }
}

/** Before the first entry that there can be. */
const FIRST_DAY = '1900-01-01'

/** Nothing that is sealed is read. */
async function comparedDeposit({ deps, request, query, body }: ComparisonCall): Promise<Compared> {
  const { sponsor_id = '', benefit_provider_id = '', from = null } = query
  const { sponsorId, benefitProviderId } = await findDeposit({
    deps,
    request,
    params: { sponsor_id, benefit_provider_id },
  })
  const statement = await readStatement(readFile({ ...body, kind: STATEMENT_KIND }))
  const on = query.on ?? todayIn(deps.calendar)
  const period = { from: from ?? FIRST_DAY, to: on }
  const around = { from: addDays(period.from, -DAYS_APART_MAX), to: addDays(period.to, DAYS_APART_MAX) }
  const pages = everyEntry(deps.db, { sponsorId, benefitProviderId, ...around })
  const { entries, differences } = await compareDeposit(statement, pages, period)
  const { closing } = statement
  const balance = closing && (await findBalanceOn(deps.db, { sponsorId, benefitProviderId, on }))
  const columns = { masterPolicyNumber: null, sponsorId, benefitProviderId, from, on, rows: statement.rowCount }
  return {
    columns: { ...columns, persons: null, entries },
    differences: [
      ...statement.differences,
      ...differences,
      ...(closing && closing.paise !== balance ? [otherBalance(closing.row)] : []),
    ],
    users: [],
  }
}

const otherBalance = (row: number): Difference => ({
  kind: 'balance',
  row,
  column: 'balance',
  userId: null,
  policyId: null,
  personId: null,
})
