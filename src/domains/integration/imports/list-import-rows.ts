import { Type } from 'typebox'
import { listFilter, paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ImportPath, ImportRowRecord, tags } from './records.ts'
import { ROW_OUTCOMES } from './states.ts'
import { importInPath, listReport, type ReportedRow } from './store.ts'

export const listImportRows = operation('GET /imports/:import_id/rows', {
  access: 'listImportRows',
  tags,
  summary: 'List the rows of an import',
  description:
    'The report, in the order of the file: an entry for each row that is done, and one for each error of the others. It names row, column and ids, and never ' +
    'repeats what the file says.',
  params: ImportPath,
  querystring: Type.Object({ ...pagingQuery, outcome: listFilter(ROW_OUTCOMES) }, { additionalProperties: false }),
  response: { 200: pageSchema(ImportRowRecord) },
  target: importInPath,
  read: (call) =>
    paged(call, (page) => listReport(call.deps.db, call.target.id, { ...page, outcomes: call.query.outcome }), present),
})

const present = ({ userId: user_id, recordId: record_id, ...row }: ReportedRow) => ({ ...row, user_id, record_id })
