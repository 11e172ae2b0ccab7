import { Type } from 'typebox'
import { listFilter, paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ComparisonPath, DifferenceRecord, DIFFERENCES, presentDifference, tags } from './records.ts'
import { comparisonInPath, listStored } from './store.ts'

export const listDifferences = operation('GET /comparisons/:comparison_id/differences', {
  access: 'listDifferences',
  tags,
  summary: 'List the differences of a comparison',
  description:
    'In the order of the file, then who is covered and has no row, or which entry has none. It names rows, columns and ids, and never repeats what the file says.',
  params: ComparisonPath,
  querystring: Type.Object({ ...pagingQuery, difference: listFilter(DIFFERENCES) }, { additionalProperties: false }),
  response: { 200: pageSchema(DifferenceRecord) },
  target: comparisonInPath,
  read: (call) =>
    paged(
      call,
      (page) => listStored(call.deps.db, call.target.id, { ...page, kinds: call.query.difference }),
      presentDifference,
    ),
})
