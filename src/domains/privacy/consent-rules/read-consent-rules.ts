import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { PlatformPath } from '../../partners/platforms/index.ts'
import { tags } from '../notices/records.ts'
import { ConsentRulesRecord, versionOfRules } from './records.ts'
import { rulesInPath } from './store.ts'

export const readConsentRules = operation('GET /platforms/:platform_id/consent_rules', {
  access: 'readConsentRules',
  tags,
  summary: 'Read the consent rules of a platform',
  description: READ_AGAIN,
  params: PlatformPath,
  versioned: true,
  response: { 200: ConsentRulesRecord },
  problems: ['not_found'],
  target: rulesInPath,
  read: (call) => sendRecord(call, versionOfRules(call.target)),
})
