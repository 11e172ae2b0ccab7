/**
 * The columns of the role matrix. One uses an administrator key, all others an access token; the wallet user's has
 * another audience.
 */
export const PRINCIPALS = [
  'platform',
  'user',
  'provider',
  'viewer',
  'operator',
  'owner',
  'admin_key',
  'wallet_user',
] as const
export type Principal = (typeof PRINCIPALS)[number]

export type Grant = 'own' | 'yes'

/** One operation, and for each principal that may call it whether it reaches every record or only its own. */
export type TableRow = { method: string; path: string; grants: Partial<Record<Principal, Grant>> }

/**
 * The permissions, written a second time from the contract and not from `src/access/matrix.ts`, so that a mistake must
 * be made twice to go unnoticed. `own`: only its own users, sponsors or itself; `-`: rejected.
 */
const TABLE = `
                                                                       platform user provider viewer operator owner admin_key wallet_user
POST   /v1/auth/token                                                  yes      -    -        -      -        -     -         -
PATCH  /v1/sponsors/{sponsor_id}                                       own      -    -        -      yes      yes   -         -
POST   /v1/users/{user_id}/complete_onboarding                         own      own  -        -      -        -     -         -
POST   /v1/users/{user_id}/dependants/bulk                             own      own  -        -      yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies                          own      own  own      yes    yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}
                                                                       own      own  own      -      yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}
                                                                       own      own  own      -      yes      yes   -         -
GET    /v1/users/{user_id}/accounts                                    own      own  -        yes    yes      yes   -         -
GET    /v1/users/{user_id}/consultations/{consultation_id}/messages    own      own  own      -      -        yes   -         -
GET    /v1/benefit_providers/{benefit_provider_id}/credentials         -        -    own      yes    yes      yes   -         -
GET    /v1/platforms/{platform_id}/credentials                         own      -    -        yes    yes      yes   -         -
POST   /v1/benefit_providers/{benefit_provider_id}/credentials         -        -    -        -      yes      yes   -         -
DELETE /v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}
                                                                       -        -    -        -      yes      yes   -         -
DELETE /v1/benefits/{benefit_id}                                       -        -    -        -      yes      yes   -         -
PATCH  /v1/account_providers/{account_provider_id}                     -        -    -        -      -        -     yes         -

POST   /v1/oauth/token                                                 -        -    -        -      -        -     -         -
POST   /v1/platforms                                                   -        -    -        -      yes      yes   -         -
GET    /v1/platforms                                                   -        -    -        yes    yes      yes   -         -
GET    /v1/platforms/{platform_id}                                     -        -    -        yes    yes      yes   -         -
PUT    /v1/platforms/{platform_id}/status                              -        -    -        -      yes      yes   -         -
GET    /v1/platforms/{platform_id}/web_origins                         own      -    -        yes    yes      yes   -         -
PUT    /v1/platforms/{platform_id}/web_origins                         own      -    -        -      yes      yes   -         -
GET    /v1/platforms/{platform_id}/wallet_limits                       own      -    -        yes    yes      yes   -         -
PUT    /v1/platforms/{platform_id}/wallet_limits                       -        -    -        -      yes      yes   -         -
POST   /v1/platforms/{platform_id}/credentials                         -        -    -        -      yes      yes   -         -
GET    /v1/platforms/{platform_id}/credentials/{credential_id}         own      -    -        yes    yes      yes   -         -
GET    /v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}
                                                                       -        -    own      yes    yes      yes   -         -
DELETE /v1/platforms/{platform_id}/credentials/{credential_id}         -        -    -        -      yes      yes   -         -
POST   /v1/benefit_providers                                           -        -    -        -      yes      yes   -         -
GET    /v1/benefit_providers                                           yes      yes  yes      yes    yes      yes   -         -
GET    /v1/benefit_providers/{benefit_provider_id}                     yes      yes  yes      yes    yes      yes   -         -
PATCH  /v1/benefit_providers/{benefit_provider_id}                     -        -    -        -      yes      yes   -         -
POST   /v1/sponsors                                                    own      -    -        -      yes      yes   -         -
GET    /v1/sponsor_names                                               own      -    -        yes    yes      yes   -         -
GET    /v1/sponsors                                                    own      -    -        yes    yes      yes   -         -
GET    /v1/sponsors/{sponsor_id}                                       own      -    -        yes    yes      yes   -         -
PUT    /v1/sponsors/{sponsor_id}/status                                -        -    -        -      yes      yes   -         -
GET    /v1/sponsors/{sponsor_id}/deposits                              own      -    own      yes    yes      yes   -         -
GET    /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries own     -    own      yes    yes      yes   -         -
POST   /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries -       -    own      -      yes      yes   -         -
PUT    /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/low_below own   -    own      -      yes      yes   -         -
POST   /v1/benefits                                                    -        -    -        -      yes      yes   -         -
GET    /v1/benefits                                                    own      own  own      yes    yes      yes   -         -
GET    /v1/benefits/{benefit_id}                                       own      own  own      yes    yes      yes   -         -
PATCH  /v1/benefits/{benefit_id}                                       -        -    -        -      yes      yes   -         -
GET    /v1/users                                                       own      -    -        yes    yes      yes   -         -
POST   /v1/users/search                                                own      -    -        yes    yes      yes   -         -
GET    /v1/users/{user_id}                                             own      own  -        yes    yes      yes   -         -
PATCH  /v1/users/{user_id}                                             own      own  -        -      yes      yes   -         -
GET    /v1/users/{user_id}/reference                                   own      -    -        yes    yes      yes   -         -
DELETE /v1/users/{user_id}/sessions                                    own      -    -        -      yes      yes   -         -
PUT    /v1/users/{user_id}/reference                                   own      -    -        -      -        -     -         -
GET    /v1/users/{user_id}/export                                      own      own  -        -      -        yes   -         -
DELETE /v1/users/{user_id}                                             own      -    -        -      -        yes   -         -
GET    /v1/users/{user_id}/erasure                                     own      -    -        -      -        yes   -         -
DELETE /v1/users/{user_id}/erasure                                     own      -    -        -      -        yes   -         -
GET    /v1/users/{user_id}/dependants                                  own      own  -        yes    yes      yes   -         -
GET    /v1/users/{user_id}/dependants/{dependant_id}                   own      own  -        yes    yes      yes   -         -
PATCH  /v1/users/{user_id}/dependants/{dependant_id}                   own      own  -        -      yes      yes   -         -
POST   /v1/users/{user_id}/insurance_policies                          own      -    -        -      yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}    own      own  own      yes    yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/status
                                                                       own      own  own      yes    yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/timeline
                                                                       own      own  own      yes    yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/terms
                                                                       own      own  own      yes    yes      yes   -         -
GET    /v1/users/{user_id}/coverage                                    own      own  own      yes    yes      yes   -         -
GET    /v1/users/{user_id}/next_actions                                own      own  -        yes    yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/members
                                                                       own      own  own      yes    yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/members/{dependant_id}
                                                                       own      -    -        -      yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/nominee
                                                                       own      own  -        -      yes      yes   -         -
GET    /v1/endorsements                                                own      -    own      yes    yes      yes   -         -
POST   /v1/members/search                                              own      -    own      yes    yes      yes   -         -
POST   /v1/endorsements/search                                         own      -    own      yes    yes      yes   -         -
GET    /v1/endorsements/{endorsement_id}                               own      own  own      yes    yes      yes   -         -
PUT    /v1/endorsements/{endorsement_id}/state                         own      -    own      -      yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/status
                                                                       -        -    own      -      yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end
                                                                       own      own  own      yes    yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end
                                                                       own      -    own      -      yes      yes   -         -
DELETE /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end
                                                                       own      -    own      -      yes      yes   -         -
GET    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee
                                                                       own      -    own      yes    yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee
                                                                       -        -    own      -      yes      yes   -         -
DELETE /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee
                                                                       -        -    own      -      yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}
                                                                       -        -    own      -      yes      yes   -         -
PUT    /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}
                                                                       -        -    own      -      yes      yes   -         -
DELETE /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}
                                                                       -        -    own      -      yes      yes   -         -
DELETE /v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}
                                                                       -        -    own      -      yes      yes   -         -
POST   /v1/users/{user_id}/accounts                                    own      own  -        -      -        -     -         -
GET    /v1/users/{user_id}/accounts/{account_id}                       own      own  -        yes    yes      yes   -         -
GET    /v1/users/{user_id}/accounts/{account_id}/status                own      own  -        yes    yes      yes   -         -
PUT    /v1/users/{user_id}/accounts/{account_id}/status                -        -    -        -      yes      yes   -         -
POST   /v1/account_providers                                           -        -    -        -      -        -     yes         -
GET    /v1/account_providers                                           -        -    -        -      -        -     yes         -
GET    /v1/account_providers/{account_provider_id}                     -        -    -        -      -        -     yes         -
PUT    /v1/account_providers/{account_provider_id}/status              -        -    -        -      -        -     yes         -
POST   /v1/users/{user_id}/consultations                               own      own  own      -      -        -     -         -
GET    /v1/users/{user_id}/consultations                               own      own  own      -      -        yes   -         -
GET    /v1/users/{user_id}/consultations/{consultation_id}             own      own  own      -      -        yes   -         -
PUT    /v1/users/{user_id}/consultations/{consultation_id}/status      own      own  own      -      -        -     -         -
POST   /v1/users/{user_id}/consultations/{consultation_id}/messages    own      own  own      -      -        -     -         -
GET    /v1/users/{user_id}/wallet                                      own      -    -        yes    yes      yes   -         -
GET    /v1/users/{user_id}/wallet/transactions                         own      -    -        yes    yes      yes   -         -
GET    /v1/users/{user_id}/one_time_codes                              own      -    -        -      yes      yes   -         -
POST   /v1/users/{user_id}/wallet/retry                                -        -    -        -      yes      yes   -         -
POST   /v1/users/{user_id}/wallet/refresh                              -        -    -        -      yes      yes   -         -
POST   /v1/users/{user_id}/wallet/credits                              own      -    -        -      yes      yes   -         -
POST   /v1/users/{user_id}/wallet/debits                               own      -    -        -      yes      yes   -         -
GET    /v1/insurance_policies                                          own      -    own      yes    yes      yes   -         -
POST   /v1/insurance_policies/search                                   own      -    own      yes    yes      yes   -         -
GET    /v1/insurance_policies/assignees                                -        -    own      -      yes      yes   -         -
GET    /v1/accounts                                                    own      -    -        yes    yes      yes   -         -
GET    /v1/next_actions                                                own      -    own      yes    yes      yes   -         -
GET    /v1/consultations                                               own      -    own      -      -        yes   -         -
GET    /v1/wallets                                                     own      -    -        yes    yes      yes   -         -
POST   /v1/wallets/retry                                               -        -    -        -      yes      yes   -         -
GET    /v1/statistics                                                  own      -    own      yes    yes      yes   -         -
GET    /v1/meta/state_machines                                         yes      yes  yes      yes    yes      yes   -         -
GET    /v1/meta/state_machines/{state_machine_name}                    yes      yes  yes      yes    yes      yes   -         -
GET    /v1/meta/permissions                                            yes      yes  yes      yes    yes      yes   -         -
GET    /v1/exposure                                                    own      -    -        -      -        yes   -         -
GET    /v1/audit_log                                                   -        -    -        own    own      yes   -         -
GET    /v1/users/{user_id}/access_log                                  own      own  -        -      -        yes   -         -
POST   /v1/imports                                                     own      -    -        -      yes      yes   -         -
GET    /v1/imports/{import_id}                                         own      -    -        yes    yes      yes   -         -
GET    /v1/imports/{import_id}/rows                                    own      -    -        yes    yes      yes   -         -
POST   /v1/comparisons                                                 own      -    own      -      yes      yes   -         -
GET    /v1/comparisons/{comparison_id}                                 own      -    own      yes    yes      yes   -         -
GET    /v1/comparisons/{comparison_id}/differences                     own      -    own      yes    yes      yes   -         -
PUT    /v1/notices/{version}/{language}                                own      -    -        -      -        -     -         -
GET    /v1/notices/{version}/{language}                                own      own  -        -      -        -     -         -
GET    /v1/platforms/{platform_id}/consent_rules                       own      -    -        yes    yes      yes   -         -
PUT    /v1/platforms/{platform_id}/consent_rules                       own      -    -        -      yes      yes   -         -
POST   /v1/users/{user_id}/consents                                    own      own  -        -      -        -     -         -
GET    /v1/users/{user_id}/consents                                    own      own  -        yes    yes      yes   -         -
DELETE /v1/users/{user_id}/consents/{consent_id}                       own      own  -        -      -        -     -         -
POST   /v1/users/{user_id}/rights_requests                             own      own  -        -      -        -     -         -
GET    /v1/users/{user_id}/rights_requests                             own      own  -        yes    yes      yes   -         -
PUT    /v1/users/{user_id}/rights_requests/{request_id}/state          own      -    -        -      yes      yes   -         -
GET    /v1/events                                                      own      -    own      yes    yes      yes   -         -
GET    /v1/auth/oidc/login                                             -        -    -        -      -        -     -         -
GET    /v1/auth/oidc/callback                                          -        -    -        -      -        -     -         -
GET    /v1/auth/session                                                -        -    -        yes    yes      yes   -         -
POST   /v1/auth/session/token                                          -        -    -        yes    yes      yes   -         -
POST   /v1/auth/logout                                                 -        -    -        -      -        -     -         -
GET    /v1/administrators                                              -        -    -        -      -        yes   -         -
PUT    /v1/administrators/{administrator_id}/status                    -        -    -        -      -        yes   -         -
GET    /v1/administrators/{administrator_id}/sessions                  -        -    -        -      -        yes   -         -
DELETE /v1/administrators/{administrator_id}/sessions/{session_id}     -        -    -        -      -        yes   -         -
POST   /v1/webhook_endpoints                                           own      -    own      -      own      own   -         -
GET    /v1/webhook_endpoints                                           own      -    own      own    yes      yes   -         -
GET    /v1/webhook_endpoints/{webhook_endpoint_id}                     own      -    own      own    yes      yes   -         -
PATCH  /v1/webhook_endpoints/{webhook_endpoint_id}                     own      -    own      -      own      own   -         -
DELETE /v1/webhook_endpoints/{webhook_endpoint_id}                     own      -    own      -      own      own   -         -
POST   /v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret       own      -    own      -      own      own   -         -
POST   /v1/webhook_endpoints/{webhook_endpoint_id}/test                own      -    own      -      own      own   -         -
GET    /v1/webhook_endpoints/{webhook_endpoint_id}/deliveries          own      -    own      own    yes      yes   -         -
POST   /v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/replay
                                                                       own      -    own      -      yes      yes   -         -
POST   /v1/webhook_endpoints/{webhook_endpoint_id}/replay              own      -    own      -      yes      yes   -         -
POST   /wallet/v1/wallet                                               -        -    -        -      -        -     -         own
GET    /wallet/v1/wallet                                               -        -    -        -      -        -     -         own
GET    /wallet/v1/wallet/{wallet_id}/status                            -        -    -        -      -        -     -         own
GET    /wallet/v1/wallet/transactions                                  -        -    -        -      -        -     -         own
POST   /wallet/v1/operator/events                                      -        -    -        -      -        -     -         -
POST   /wallet/v1/auth/otp                                             -        -    -        -      -        -     -         -
POST   /wallet/v1/auth/otp/verify                                      -        -    -        -      -        -     -         -
POST   /wallet/v1/auth/token/refresh                                   -        -    -        -      -        -     -         -
POST   /wallet/v1/auth/logout                                          -        -    -        -      -        -     -         -
`

const ROW = /(GET|POST|PUT|PATCH|DELETE)\s+(\S+)((?:\s+(?:own|yes|-)){8})/g

export const ROLE_TABLE: TableRow[] = [...TABLE.matchAll(ROW)].map(([, method = '', path = '', cells = '']) => ({
  method,
  path,
  grants: Object.fromEntries(
    cells
      .trim()
      .split(/\s+/)
      .map((cell, index) => [PRINCIPALS[index], cell])
      .filter(([, cell]) => cell !== '-'),
  ) as TableRow['grants'],
}))

/** Operations that use a credential other than an access token or an administrator key. */
const OTHER_CREDENTIALS: Record<string, 'basic' | 'signature' | 'session' | 'none'> = {
  '/v1/oauth/token': 'basic',
  '/wallet/v1/operator/events': 'signature',
  '/v1/auth/session/token': 'session',
  '/v1/auth/oidc/login': 'none',
  '/v1/auth/oidc/callback': 'none',
  '/v1/auth/logout': 'none',
  '/wallet/v1/auth/otp': 'none',
  '/wallet/v1/auth/otp/verify': 'none',
  '/wallet/v1/auth/token/refresh': 'none',
  '/wallet/v1/auth/logout': 'none',
}

export function credentialOf({ path, grants }: TableRow) {
  const token = grants.wallet_user ? 'wallet_bearer' : 'bearer'
  return OTHER_CREDENTIALS[path] ?? (grants.admin_key ? 'admin_key' : token)
}

/** Possible credentials: administrators may use a session cookie where others use an access token. */
export function credentialFor(row: TableRow) {
  const credential = credentialOf(row)
  if (credential === 'none') return []
  const { viewer, operator, owner } = row.grants
  return credential === 'bearer' && (viewer ?? operator ?? owner) ? [credential, 'session' as const] : [credential]
}
