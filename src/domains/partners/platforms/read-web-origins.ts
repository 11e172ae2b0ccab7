import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { PlatformPath, tags, versionOfOrigins, WebOriginsRecord } from './records.ts'
import { originsInPath } from './store.ts'

export const readWebOrigins = operation('GET /platforms/:platform_id/web_origins', {
  access: 'readWebOrigins',
  tags,
  summary: 'Read the web origins of a platform',
  description: READ_AGAIN,
  params: PlatformPath,
  versioned: true,
  response: { 200: WebOriginsRecord },
  problems: ['not_found'],
  target: originsInPath,
  read: (call) => sendRecord(call, versionOfOrigins(call.target)),
})
