import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { PlatformPath, PlatformRecord, tags, versionOf } from './records.ts'
import { platformInPath } from './store.ts'

export const readPlatform = operation('GET /platforms/:platform_id', {
  access: 'readPlatform',
  tags,
  summary: 'Read a platform',
  description: READ_AGAIN,
  params: PlatformPath,
  versioned: true,
  response: { 200: PlatformRecord },
  problems: ['not_found'],
  target: platformInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
