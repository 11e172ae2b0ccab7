import { Type } from 'typebox'
import { createLocation } from '../../../kernel/http/param.ts'
import { Name, Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { created, operation } from '../../../record/index.ts'
import { BenefitProviderRecord, looks, tags, validateColour, versionOf } from './records.ts'
import { codeConflict, insertBenefitProvider } from './store.ts'

const Code = Text({
  maxLength: 60,
  pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
  words: 'A code is upper snake case: capital letters, digits and single underscores, such as SURAKSHA_GENERAL.',
})

export const createBenefitProvider = operation('POST /benefit_providers', {
  access: 'createBenefitProvider',
  tags,
  summary: 'Create a benefit provider',
  description: 'Registers an insurer or clinic network. `code` must be unique.',
  body: Type.Object(
    { name: Name(), code: Code, ...looks },
    { examples: [{ name: 'Suraksha General Insurance', code: 'SURAKSHA_GENERAL' }] },
  ),
  versioned: true,
  response: { 201: BenefitProviderRecord },
  problems: ['conflict'],
  validate: validateColour,
  change: ({ deps, body: { name, code, address = null, colour = null } }, { at }) => ({
    ...insertBenefitProvider({ id: newId('bpr'), name, code, address, colour }, at),
    conflicts: codeConflict(deps.db, code),
  }),
  present: (provider, { request }) => created(createLocation(request, provider.id), versionOf(provider)),
})
