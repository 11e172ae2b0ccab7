import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { listSessions } from '../../../access/user-sessions.ts'
import { type UserScope, userScopeFrom } from '../../../access/scope.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { type EncodedJson, encodeObject, encodePages } from '../../../kernel/encoded-json.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { type Deps, operationIn } from '../../../record/index.ts'
import { listAccounts, presentAccount } from '../../money/accounts/index.ts'
import { END_OF_LOG, listOfUser, presentForUser, type Summaries } from '../../administration/audit/index.ts'
import {
  findConsultation,
  listConsultations,
  listMessages,
  presentConsultation,
  presentMessage,
} from '../../care/consultations/index.ts'
import { listVersions, presentDependant } from '../../people/dependants/index.ts'
import { listEndorsementsOfUser, presentEndorsement } from '../../cover/endorsements/index.ts'
import { listUploads } from '../../cover/documents/index.ts'
import { listTransactions, presentTransaction } from '../../money/ledger/index.ts'
import { listEnds, listPolicies, presentEnd, presentPolicy } from '../../cover/policies/index.ts'
import { ensureUserInPath, findListedUser, presentUser, UserPath } from '../../people/users/index.ts'
import { findWalletInScope, presentWallet } from '../../money/wallets/index.ts'
import { findConsents, presentConsent } from '../consents/index.ts'
import { findRequests, presentRightsRequest } from '../../people/rights-requests/index.ts'
import { presentScheduled, presentSession, presentUpload, tags, UserExport } from './records.ts'
import { findScheduled, listProviders, listStatusChanges } from './store.ts'

/** The page size of internal reads. */
const READ_AT_ONCE = 500

type ExportDeps = Deps & { origin: string; summaries: Summaries }

export const exportUser = operationIn<ExportDeps>()('GET /users/:user_id/export', {
  access: 'exportUser',
  tags,
  summary: 'Export everything about a user',
  description:
    'One JSON document with everything about the person: profile, all versions of dependants, policies and their ends, accounts, ' +
    'consultations with their messages, wallet and bookings, who has access, uploaded documents, wallet sessions, a ' +
    'scheduled erasure, status changes, and the access log. Policy documents are not included; download ' +
    'them from the URLs in each policy. `schema` is the URL of the JSON Schema. By default, a caller may export a user ten times an hour.',
  params: UserPath,
  response: { 200: UserExport },
  checkTargetFirst: ensureUserInPath,
  read: async ({ deps, request, reply }) => {
    const scope = userScopeFrom(request)
    deps.rates.countExport(request.caller, scope.userId)
    const { byteLength, parts: linked } = await readEverything(deps, scope)
    reply.header('content-length', byteLength).type('application/json; charset=utf-8')
    return Readable.from(linked, { objectMode: false })
  },
})

type Exported = Static<typeof UserExport>

/** Returns all data about a person. Throws 404 `not_found` when the user is not in scope. */
async function readEverything(context: ExportDeps, scope: UserScope): Promise<EncodedJson<Exported>> {
  const { db, clock, origin } = context
  const { userId } = scope
  const user = await findListedUser(db, context.vault, scope)
  const { profile } = user
  const wallet = await foundOrUndefined(findWalletInScope(db, scope))
  const any = { statuses: undefined, types: undefined }
  return encodeObject<Exported>({
    schema: `${origin}/openapi.json#/components/schemas/UserExport`,
    exported_at: wireTime(clock.now()),
    user: presentUser(user),
    gender: profile.gender ?? null,
    title: (profile.title ?? null) as Exported['title'],
    bank_details: profile.bank_details ?? null,
    id_proof_last4: user.idProofLast4,
    employee_number: user.employeeNumber(),
    dependants: await every((page) => listVersions(context, scope, page), presentDependant),
    insurance_policies: await every((page) => listPolicies(context, { ...scope, ...page, ...any }), presentPolicy),
    endorsements: await every((page) => listEndorsementsOfUser(db, userId, page), presentEndorsement),
    insurance_policy_ends: await every(
      (page) => listEnds(db, user, page),
      (row) => presentEnd(row, row.end),
    ),
    accounts: await every((page) => listAccounts(db, scope, { ...any, page }), presentAccount),
    consultations: await encodePages(exportConsultations(context, scope)),
    wallet: wallet ? presentWallet(wallet, { created: false }) : null,
    wallet_transactions: wallet
      ? await every((page) => listTransactions(context, scope, { page }), presentTransaction)
      : [],
    consents: await every((page) => findConsents(context, scope, page), presentConsent),
    rights_requests: await every((page) => findRequests(context, scope, page), presentRightsRequest),
    benefit_providers: await listProviders(db, userId),
    uploaded_documents: await every((page) => listUploads(db, userId, page), presentUpload),
    sessions: await every((page) => listSessions(db, userId, page), presentSession),
    scheduled_erasure: presentScheduled(await findScheduled(db, userId)),
    status_changes: await every(
      (page) => listStatusChanges(db, user, page),
      ({ entityId: id, from, to, reason, at }) => ({ id, from, to, reason, at }),
    ),
    access_log: await encodePages(exportAccessLog(context, userId)),
  })
}

async function* exportConsultations(context: ExportDeps, scope: UserScope) {
  const { db } = context
  const exportOne = async (id: string) => {
    const consultation = await findConsultation(context, scope, id)
    const messages = await every((page) => listMessages(db, consultation, page), presentMessage)
    return encodeObject<Exported['consultations'][number]>({
      consultation: presentConsultation(consultation),
      messages,
    })
  }
  for await (const page of readPages((one) => listConsultations(db, scope, { statuses: undefined, page: one }))) {
    for (const { id } of page) yield [await exportOne(id)]
  }
}

async function* exportAccessLog({ db, summaries }: ExportDeps, userId: string) {
  for (let before = END_OF_LOG; ; ) {
    const entries = await listOfUser(db, { userId, before, limit: READ_AT_ONCE })
    yield entries.map((entry) => presentForUser(entry, summaries))
    const last = entries.at(-1)
    if (!last || entries.length < READ_AT_ONCE) return
    before = last
  }
}

type ReadPage<Row> = (page: Page) => Promise<Paged<Row>>

async function* readPages<Row>(read: ReadPage<Row>): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += READ_AT_ONCE) {
    const { rows } = await read({ limit: READ_AT_ONCE, offset })
    yield rows
    if (rows.length < READ_AT_ONCE) return
  }
}

/** Returns every row of a paged list, as `present` shows it. */
function every<Row, Presented>(
  read: ReadPage<Row>,
  present: (row: Row) => Presented,
): Promise<EncodedJson<Presented[]>> {
  const presentedPages = async function* () {
    for await (const rows of readPages(read)) yield rows.map(present)
  }
  return encodePages<Presented>(presentedPages())
}
