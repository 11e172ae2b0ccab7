import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { EndorsementPath, EndorsementRecord, tags, versionOf } from './records.ts'
import { endorsementInPath } from './store.ts'

export const readEndorsement = operation('GET /endorsements/:endorsement_id', {
  access: 'readEndorsement',
  tags,
  summary: 'Read an endorsement',
  description: 'With the reason of its decision.',
  params: EndorsementPath,
  versioned: true,
  response: { 200: EndorsementRecord },
  target: endorsementInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
