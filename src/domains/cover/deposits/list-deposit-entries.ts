import { Type } from 'typebox'
import { toPeriod } from '../../../kernel/clock.ts'
import { paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { DayText } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { DepositEntryRecord, DepositPath, presentEntry, tags } from './records.ts'
import { findDeposit, findEntries } from './store.ts'

const EntriesQuery = Type.Object(
  {
    ...pagingQuery,
    from: Type.Optional(DayText({ description: 'Only entries made on this day (India) and later.' })),
    to: Type.Optional(DayText({ description: 'Only entries made on this day (India) and earlier.' })),
  },
  { additionalProperties: false },
)

export const listDepositEntries = operation('GET /sponsors/:sponsor_id/deposits/:benefit_provider_id/entries', {
  access: 'listDepositEntries',
  tags,
  summary: 'List the entries of a deposit',
  description: 'Newest first. Their sum is the balance. As CSV with `Accept: text/csv`: the statement of the deposit.',
  params: DepositPath,
  querystring: EntriesQuery,
  response: { 200: pageSchema(DepositEntryRecord) },
  problems: ['not_found'],
  checkTargetFirst: (call) => findDeposit(call),
  read: (call) => {
    const period = toPeriod(call.query)
    return paged(call, (page) => findEntries(call, page, period), presentEntry)
  },
})
