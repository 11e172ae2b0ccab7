import { type ApiDocument, type ApiOperation, fileOf, type Schema } from './document.ts'

/**
 * Every kind of id has a type of its own, so that no user id is accepted for a policy. It follows from the name of the
 * field; these say something else. `null`: not an id of this API, or of several kinds.
 */
const KINDS: Record<string, string | null> = {
  insurance_policy_id: 'Policy',
  primary_user_id: 'User',
  partner_wallet_id: 'Wallet',
  previous_version_id: 'Dependant',
  member_id: 'Dependant',
  event_id: null, // of the wallet operator
  owner_id: null,
  person_id: null, // a user or a dependant
  existing_ids: null,
  external_account_id: null,
  external_policy_id: null,
  request_id: null,
}

/** Whose id the field `id` of a schema is, where the name of the schema does not say it. */
const OWNERS: Record<string, string | null> = {
  ExportedStatusChange: null, // of several kinds
  SecretWebhookEndpoint: 'WebhookEndpoint',
  InsurancePolicy: 'Policy',
  InsurancePolicyStatus: 'Policy',
  AccountStatus: 'Account',
  WalletTransaction: 'Transaction',
  WebhookDelivery: 'Delivery',
  AdministratorSession: 'Session',
  ExportedSession: 'Session',
  ExportedBenefitProvider: 'BenefitProvider',
  ExportedConsultation: 'Consultation',
  DeleteBenefitResponse: 'Benefit',
  DeleteWebhookEndpointResponse: 'WebhookEndpoint',
  AuditEntry: 'AuditEntry',
  primary_member: 'User',
  assignee: 'Administrator',
  PossibleAssignee: 'Administrator',
  dependants: 'Dependant',
  provider: 'BenefitProvider',
}

/** Returns the type of an id; undefined when the field has none. `owner`: the schema or field that it stands in. */
export function idTypeOf(name: string, owner: string): string | undefined {
  if (name === 'id')
    return typeNamed(owner in OWNERS ? OWNERS[owner] : owner.endsWith('Event') ? 'Event' : ownerOf(owner))
  if (!/_ids?$/.test(name)) return undefined
  return typeNamed(name in KINDS ? KINDS[name] : pascal(name.replace(/_ids?$/, '')))
}

const typeNamed = (kind: string | null | undefined) => (typeof kind === 'string' ? `${kind}Id` : undefined)

/** `ListedInsurancePolicy` and `WaitingPolicy` are policies too. */
function ownerOf(owner: string): string {
  const name = pascal(owner)
    .replace(/^(Listed|Exported|Found)/, '')
    .replace(/(Item|Entry|Summary|Status)$/, '')
  return OWNERS[name] ?? name.replace('InsurancePolicy', 'Policy')
}

export const pascal = (text: string): string =>
  text.replace(/(?:^|[_ -])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the file with a type for each kind of id, and a function that takes text for one. */
export function idsFile(document: ApiDocument, operations: ApiOperation[]): string {
  const types = new Set<string>()
  const add = (name: string, owner: string) => {
    const type = idTypeOf(name, owner)
    if (type !== undefined) types.add(type)
  }
  const visit = (schema: Schema | undefined, owner: string): void => {
    if (schema === undefined) return
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      add(name, owner)
      visit(inner, name)
    }
    for (const inner of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(inner, owner)
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, owner)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name)
  for (const { parameters } of operations) for (const { name } of parameters) add(name, '')
  const declared = [...types].toSorted().map((type) => {
    const name = type[0]?.toLowerCase() + type.slice(1)
    return `export type ${type} = Id<'${type}'>\nexport const ${name} = (text: string): ${type} => text as ${type}`
  })
  return fileOf(
    `declare const kind: unique symbol`,
    `/**\n * An id of one kind: a string that is not accepted where an id of another kind is expected. Ids are opaque. For one that\n * you stored, call the function of the same name: \`userId(row.user_id)\`.\n */\nexport type Id<Kind extends string> = string & { readonly [kind]: Kind }`,
    ...declared,
  )
}
