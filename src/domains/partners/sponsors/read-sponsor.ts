import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { SponsorPath, SponsorRecord, tags, versionOf } from './records.ts'
import { sponsorInPath } from './store.ts'

export const readSponsor = operation('GET /sponsors/:sponsor_id', {
  access: 'readSponsor',
  tags,
  summary: 'Read a sponsor',
  description: READ_AGAIN,
  params: SponsorPath,
  versioned: true,
  response: { 200: SponsorRecord },
  problems: ['not_found'],
  target: sponsorInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
