import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { BenefitPath, BenefitRecord, tags, versionOf } from './records.ts'
import { benefitInPath } from './store.ts'

export const readBenefit = operation('GET /benefits/:benefit_id', {
  access: 'readBenefit',
  tags,
  summary: 'Read a benefit',
  description: 'Archived benefits stay readable.',
  params: BenefitPath,
  versioned: true,
  response: { 200: BenefitRecord },
  target: benefitInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
