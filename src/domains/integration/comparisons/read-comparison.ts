import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { ComparisonPath, ComparisonRecord, tags, versionOf } from './records.ts'
import { comparisonInPath } from './store.ts'

export const readComparison = operation('GET /comparisons/:comparison_id', {
  access: 'readComparison',
  tags,
  summary: 'Read a comparison',
  description: READ_AGAIN,
  params: ComparisonPath,
  versioned: true,
  response: { 200: ComparisonRecord },
  target: comparisonInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
