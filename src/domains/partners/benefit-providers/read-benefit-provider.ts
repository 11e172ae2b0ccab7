import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { BenefitProviderPath, BenefitProviderRecord, tags, versionOf } from './records.ts'
import { benefitProviderInPath } from './store.ts'

export const readBenefitProvider = operation('GET /benefit_providers/:benefit_provider_id', {
  access: 'readBenefitProvider',
  tags,
  summary: 'Read a benefit provider',
  description: READ_AGAIN,
  params: BenefitProviderPath,
  versioned: true,
  response: { 200: BenefitProviderRecord },
  problems: ['not_found'],
  target: benefitProviderInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
