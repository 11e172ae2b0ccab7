import { isDeepStrictEqual } from 'node:util'
import { changed, operation, unchanged } from '../../../record/index.ts'
import {
  BenefitProviderPatch,
  BenefitProviderPath,
  BenefitProviderRecord,
  presentBenefitProvider,
  tags,
  validateColour,
  versionOf,
} from './records.ts'
import { benefitProviderInPath, update } from './store.ts'

export const updateBenefitProvider = operation('PATCH /benefit_providers/:benefit_provider_id', {
  access: 'updateBenefitProvider',
  tags,
  summary: 'Update a benefit provider',
  description:
    'Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null` removes it or `colour`. Documents ' +
    'show what was there when the policy was enrolled or issued.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: BenefitProviderPath,
  body: BenefitProviderPatch,
  versioned: true,
  response: { 200: BenefitProviderRecord },
  problems: ['not_found', 'precondition_failed'],
  validate: validateColour,
  target: benefitProviderInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.benefit_provider_id,
  change: ({ target: provider, body }, { at }) => {
    const patched = { ...provider, ...body }
    if (isDeepStrictEqual(presentBenefitProvider(patched), presentBenefitProvider(provider))) return unchanged(provider)
    return update(provider, patched, at)
  },
  present: (provider) => changed(versionOf(provider)),
})
