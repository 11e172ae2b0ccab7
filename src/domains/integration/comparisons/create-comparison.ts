import { type Static, Type } from 'typebox'
import { actorFrom, type Caller } from '../../../access/caller.ts'
import { toScope } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { createEtag } from '../../../kernel/http/conditional.ts'
import { fileBody, FileBody } from '../../../kernel/http/file-body.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { DayText, OneOf, Text } from '../../../kernel/http/schemas.ts'
import { forEachWord } from '../../../kernel/for-each-word.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type Call, type Deps, operation } from '../../../record/index.ts'
import { everyPolicyOfGroup, presentGroupPolicy } from '../../cover/coverage/index.ts'
import { CSV_TYPES, FILE_BYTES_MAX, readFile } from '../imports/read-file.ts'
import { compareMembers, DIFFERENCES, inOrder, missingHere } from './compare-members.ts'
import { MEMBER_KIND, readLines } from './read-lines.ts'
import { COMPARISON_KINDS, ComparisonRecord, type Counts, presentComparison, tags, versionOf } from './records.ts'
import { deleteDifferences, insertComparison, insertDifferences } from './store.ts'

const ComparisonQuery = Type.Object(
  {
    kind: OneOf(COMPARISON_KINDS, { description: 'What a row is: a member of a group policy.' }),
    master_policy_number: Text({ description: 'The number of the group policy.' }),
    on: Type.Optional(DayText({ description: 'The day of the file; today in India unless it is named.' })),
  },
  { additionalProperties: false },
)

export const createComparison = operation('POST /comparisons', {
  access: 'createComparison',
  tags,
  summary: 'Compare a member file with what is stored',
  description:
    'Takes the member file of a benefit provider or its administrator (TPA) for one group policy, as CSV in UTF-8: up to 100,000 rows and 64 MiB. The columns are those of ' +
    '`POST /v1/members/search`, whose file compares without a difference. The response comes when all is compared, with the number of differences of each kind; ' +
    '`GET /v1/comparisons/{comparison_id}/differences` lists them. Nothing else is changed. The same file has the same response as long as nothing has changed here. ' +
    '[/docs/partners/comparing](/docs/partners/comparing) has the columns.',
  querystring: ComparisonQuery,
  body: FileBody({
    'text/csv': 'external_policy_id,first_name,last_name,date_of_birth\r\nSG-2026-000123,Ravi,Example,2015-08-02\r\n',
  }),
  versioned: true,
  response: { 201: ComparisonRecord },
  readsBody: () => fileBody(CSV_TYPES, FILE_BYTES_MAX),
  // Not `change`: the file is read before the write.
  read: (call) => receive(call),
})

type ComparisonCall = Call<Deps, Type.TUnknown, typeof ComparisonQuery, ReturnType<typeof FileBody>>

async function receive(call: ComparisonCall) {
  const { deps, request, reply, query, body } = call
  const { bytes, mediaType } = body
  const lines = await readLines(readFile({ bytes, mediaType, kind: MEMBER_KIND }))
  const compared = await compareGroup(deps, request.caller, query, lines)
  request.checkNotRevoked()
  // Whose names and births were read, although the response shows none.
  request.listed = compared.users.map((userId) => ({ subject: userId, userId }))
  const id = newId('cmp')
  try {
    await insertDifferences(deps.db, id, compared.differences)
    const { persons, counts } = compared
    const values = { id, kind: query.kind, ...ownerOf(request.caller), masterPolicyNumber: query.master_policy_number }
    const row = { ...values, on: compared.day, rows: lines.rowCount, persons, differences: counts }
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

type Lines = Awaited<ReturnType<typeof readLines>>

/** Compares policy by policy: besides the rows of the file, a page of policies is in memory. */
async function compareGroup(
  deps: Deps,
  caller: Caller,
  { master_policy_number: number, on }: Static<typeof ComparisonQuery>,
  { byPolicy, differences: unread }: Lines,
) {
  const today = todayIn(deps.calendar)
  const day = on ?? today
  const differences = [...unread]
  const seen = new Set<string>()
  const users = new Set<string>()
  let persons = 0
  for await (const policies of everyPolicyOfGroup(deps, { number, scope: toScope(caller) })) {
    for (const policy of policies.filter(({ id }) => !seen.has(id))) {
      seen.add(policy.id)
      users.add(policy.userId)
      const { members } = presentGroupPolicy(policy, { day, today })
      const names = policy.externalPolicyId === null ? [policy.id] : [policy.id, policy.externalPolicyId]
      const rows = names.flatMap((name) => byPolicy.get(name) ?? []).map(({ number: row, cells }) => ({ row, cells }))
      for (const name of names) byPolicy.delete(name)
      differences.push(...compareMembers({ ...policy, members }, rows))
      persons += members.length
    }
  }
  for (const rows of byPolicy.values()) differences.push(...rows.map(({ number: row }) => missingHere(row)))
  const counts: Counts = forEachWord(DIFFERENCES, (kind) => differences.filter((one) => one.kind === kind).length)
  return { day, persons, users: [...users], counts, differences: inOrder(differences) }
}
