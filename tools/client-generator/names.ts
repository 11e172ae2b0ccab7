import type { ApiOperation } from './document.ts'
import { pascal } from './ids.ts'

/** Where an operation is called: `banyan.users.list` or, with a user chosen, `banyan.user(id).policies.enrol`. */
export type MethodName = { scope: 'root' | 'user'; group: string; method: string }

/** Groups whose path says it in another word than the client. */
const GROUP_OF_SEGMENT: Record<string, string> = { insurance_policies: 'policies' }

/** Paths that name a protocol instead of a thing: the group follows from the tag. */
const PROTOCOLS = new Set(['auth', 'oauth', '.well-known', 'verify'])
const GROUP_OF_TAG: Record<string, string> = { 'Insurance policy documents': 'healthCards' }

/** What is done to users themselves, not to something they have. */
const TAGS_OF_USERS = new Set(['Users', 'Personal data', 'Audit'])

/** Nouns that an operation id says alongside its verb, and that the group says already. */
const NOUNS: Record<string, string[]> = {
  policies: ['InsurancePolicies', 'InsurancePolicy'],
  nextActions: ['UserNextActions', 'NextActions'],
  wallet: ['UserWallet', 'Wallet'],
  wallets: ['UserWallets', 'Wallets', 'Wallet'],
  webhookEndpoints: ['WebhookEndpoints', 'WebhookEndpoint', 'Webhook'],
  consultations: ['Consultations', 'Consultation'],
  healthCards: ['HealthCard'],
  auditLog: ['AuditLog'],
}

/** Operation ids that do not become a good name by that rule. */
const METHODS: Record<string, string> = { logOutOfWallet: 'logOut' }

export function methodNameOf({ path, operationId, tags: [tag = ''] }: ApiOperation): MethodName {
  const isWallet = path.startsWith('/wallet/')
  const segments = path
    .replace(/^(\/wallet)?\/v1\//, '')
    .split('/')
    .filter((segment) => segment !== '')
  const [first = '', , third = ''] = segments
  const isOfUser = first === 'users' && segments[1] === '{user_id}'
  if (isOfUser) {
    const group = third === '' || TAGS_OF_USERS.has(tag) ? '' : groupName(third)
    return { scope: 'user', group, method: methodName(operationId, group === '' ? 'users' : group) }
  }
  const group = isWallet ? 'wallet' : PROTOCOLS.has(first) ? (GROUP_OF_TAG[tag] ?? camel(tag)) : groupName(first)
  return { scope: 'root', group, method: methodName(operationId, group) }
}

const groupName = (segment: string) => GROUP_OF_SEGMENT[segment] ?? camel(segment)

function methodName(operationId: string, group: string): string {
  const known = METHODS[operationId]
  if (known !== undefined) return known
  const plural = pascal(group)
  const nouns = NOUNS[group] ?? [plural, plural.replace(/ies$/, 'y').replace(/s$/, '')]
  const noun = nouns.find((one) => operationId.search(new RegExp(`[a-z]${one}(?=[A-Z]|$)`)) !== -1)
  if (noun === undefined) return operationId
  // All users’, as `banyan.policies` says.
  return operationId.replace(new RegExp(`(?<=[a-z])(?:All)?${noun}(?=[A-Z]|$)`), '')
}

export function camel(text: string): string {
  const name = pascal(text)
  return name.charAt(0).toLowerCase() + name.slice(1)
}
