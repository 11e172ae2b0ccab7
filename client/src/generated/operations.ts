// Generated from openapi.json by `npm run generate`. Do not edit.

import type { Done, DocumentStream, Operation, Redirect } from '../operation.ts'
import type { PlainDate } from '../plain-date.ts'
import type { AccountId, AccountProviderId, AdministratorId, BenefitId, BenefitProviderId, ComparisonId, ConsentId, ConsultationId, CredentialId, DeliveryId, DependantId, EndorsementId, ImportId, PlatformId, PolicyId, SessionId, SponsorId, UserId, WalletId, WebhookEndpointId } from './ids.ts'
import type {
  AccessEntry,
  AccessToken,
  Account,
  AccountProvider,
  AccountStatus,
  AddDepositEntryRequest,
  Administrator,
  AdministratorSession,
  AssignInsurancePolicyRequest,
  AuditEntry,
  Benefit,
  BenefitProvider,
  CancelledErasure,
  CheckHealthCardResponse,
  Comparison,
  CompleteOnboardingRequest,
  Consent,
  ConsentNotice,
  ConsentRules,
  Consultation,
  Coverage,
  CreateAccountProviderRequest,
  CreateAccountRequest,
  CreateBenefitProviderCredentialRequest,
  CreateBenefitProviderRequest,
  CreateBenefitRequest,
  CreateConsultationRequest,
  CreateDependantsRequest,
  CreateDependantsResponse,
  CreateMessageRequest,
  CreatePlatformCredentialRequest,
  CreatePlatformRequest,
  CreateRightsRequestRequest,
  CreateSessionTokenResponse,
  CreateSponsorRequest,
  CreateWebhookEndpointRequest,
  Credential,
  CredentialList,
  CreditWalletRequest,
  CurrentSession,
  DebitWalletRequest,
  DeleteBenefitResponse,
  DeleteWebhookEndpointResponse,
  Dependant,
  Deposit,
  DepositEntry,
  Difference,
  EndAdministratorSessionResponse,
  Endorsement,
  EnrolInsurancePolicyRequest,
  Erasure,
  ErasurePreview,
  Event,
  ExchangeCredentialRequest,
  Exposure,
  FoundInsurancePolicy,
  GiveConsentRequest,
  GroupPolicy,
  Import,
  ImportRow,
  InsurancePolicy,
  InsurancePolicyAssignee,
  InsurancePolicyDocument,
  InsurancePolicyEnd,
  InsurancePolicyMembers,
  InsurancePolicyStatus,
  InsurancePolicyTimelineEntry,
  IssueTokenRequest,
  IssuedUserToken,
  ListAccessLogResponse,
  ListAccountProvidersResponse,
  ListAccountsResponse,
  ListAdministratorSessionsResponse,
  ListAdministratorsResponse,
  ListAllAccountsResponse,
  ListAllConsultationsResponse,
  ListAllInsurancePoliciesResponse,
  ListAllWalletsResponse,
  ListAuditLogResponse,
  ListBenefitProvidersResponse,
  ListBenefitsResponse,
  ListConsentsResponse,
  ListConsultationsResponse,
  ListDependantsResponse,
  ListDepositEntriesResponse,
  ListDepositsResponse,
  ListDifferencesResponse,
  ListEndorsementsResponse,
  ListEventsResponse,
  ListExposureResponse,
  ListImportRowsResponse,
  ListInsurancePoliciesResponse,
  ListInsurancePolicyAssigneesResponse,
  ListInsurancePolicyTermsResponse,
  ListInsurancePolicyTimelineResponse,
  ListMessagesResponse,
  ListNextActionsResponse,
  ListOneTimeCodesResponse,
  ListPermissionsResponse,
  ListPlatformsResponse,
  ListRightsRequestsResponse,
  ListSponsorNamesResponse,
  ListSponsorsResponse,
  ListStateMachinesResponse,
  ListUserNextActionsResponse,
  ListUserWalletTransactionsResponse,
  ListUsersResponse,
  ListWalletTransactionsResponse,
  ListWebhookDeliveriesResponse,
  ListWebhookEndpointsResponse,
  ListedAccount,
  ListedConsultation,
  ListedEndorsement,
  ListedInsurancePolicy,
  ListedSponsor,
  ListedWallet,
  ListedWebhookEndpoint,
  LogOutOfWalletRequest,
  LogOutOfWalletResponse,
  LogOutRequest,
  LogOutResponse,
  Message,
  NewCredential,
  NextAction,
  OnboardedUser,
  OneTimeCode,
  OtpChallenge,
  Platform,
  PossibleAssignee,
  ReadAuthorizationServerResponse,
  ReadKeysResponse,
  ReceiveOperatorEventRequest,
  ReceiveOperatorEventResponse,
  RefreshWalletTokenRequest,
  ReplayWebhookEventsRequest,
  RequestOtpRequest,
  RetriedWallets,
  RetryWalletsRequest,
  Revocation,
  RightsRequest,
  ScheduledEndorsement,
  SearchEndorsementsRequest,
  SearchEndorsementsResponse,
  SearchInsurancePoliciesRequest,
  SearchInsurancePoliciesResponse,
  SearchMembersRequest,
  SearchMembersResponse,
  SearchUsersRequest,
  SearchUsersResponse,
  SecretWebhookEndpoint,
  SetAccountProviderStatusRequest,
  SetAccountStatusRequest,
  SetAdministratorStatusRequest,
  SetConsentRulesRequest,
  SetConsultationStatusRequest,
  SetDepositLowBelowRequest,
  SetEndorsementStateRequest,
  SetInsurancePolicyEndRequest,
  SetInsurancePolicyMemberRequest,
  SetInsurancePolicyNomineeRequest,
  SetInsurancePolicyStatusRequest,
  SetNoticeRequest,
  SetPlatformStatusRequest,
  SetRightsRequestStateRequest,
  SetSponsorStatusRequest,
  SetUserReferenceRequest,
  SetWalletLimitsRequest,
  SetWebOriginsRequest,
  Sponsor,
  StateMachine,
  Statistics,
  TokenPair,
  UpdateAccountProviderRequest,
  UpdateBenefitProviderRequest,
  UpdateBenefitRequest,
  UpdateDependantRequest,
  UpdateSponsorRequest,
  UpdateUserRequest,
  UpdateWebhookEndpointRequest,
  User,
  UserExport,
  UserReference,
  VerifyOtpRequest,
  Wallet,
  WalletLimits,
  WalletStatus,
  WalletTransaction,
  WalletWithLimits,
  WebOrigins,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookReplay,
} from './schemas.ts'

export type BeginLoginQuery = {
  /** Our page to open afterwards: `/docs`, `/dashboard` or a page below one of them */
  return_to?: string | undefined
}

/**
 * Log in at the identity provider. For browsers: redirects to the identity provider (OpenID Connect,
 * authorization code with PKCE), which redirects back to `/v1/auth/oidc/callback`. A login must be completed
 * within ten minutes. It must begin on our own pages or in the address bar, not by a link from another site:
 * `Sec-Fetch-Site`, in which browsers report that, must be `same-origin`, `none` or absent. Returns 404 if this
 * installation has no identity provider.
 *
 * **Who may call:** anyone, without a token
 */
export const beginLogin: Operation<{ query?: BeginLoginQuery | undefined }, Redirect> = {
  id: 'beginLogin',
  method: 'GET',
  path: '/v1/auth/oidc/login',
  auth: 'none',
  returns: 'redirect',
}

export type FinishLoginQuery = {
  /** Authorization code */
  code?: string | undefined
  /** State of the login */
  state?: string | undefined
  /** Issuer: the identity provider (RFC 9207) */
  iss?: string | undefined
  /** Error of the identity provider, instead of a code */
  error?: string | undefined
}

/**
 * Complete the login. For browsers: the identity provider redirects here. Starts a session in a cookie, which
 * ends after 8 hours, or 30 minutes without use, and redirects to the page given at login. Returns 400 if no
 * login was started in this browser or the response cannot be verified, 403 for people without a role and for
 * disabled administrators.
 *
 * **Who may call:** anyone, without a token
 */
export const finishLogin: Operation<{ query?: FinishLoginQuery | undefined }, Redirect> = {
  id: 'finishLogin',
  method: 'GET',
  path: '/v1/auth/oidc/callback',
  auth: 'none',
  returns: 'redirect',
}

/**
 * Read the current session. Returns the administrator of the session cookie, or of an access token issued
 * through it. Returns 404 for a token made on the command line.
 *
 * **Who may call:** viewer, operator, owner
 */
export const readSession: Operation<{  }, CurrentSession> = {
  id: 'readSession',
  method: 'GET',
  path: '/v1/auth/session',
}

/**
 * Exchange the session for an access token. A person of a partner gets a token with the rights of the partner.
 * The token is valid for 15 minutes, but no longer than the session: logging out ends it within a second.
 * Accepts the session cookie only.
 *
 * **Who may call:** viewer, operator, owner
 */
export const createSessionToken: Operation<{  }, CreateSessionTokenResponse> = {
  id: 'createSessionToken',
  method: 'POST',
  path: '/v1/auth/session/token',
  auth: 'session',
}

/**
 * Log out. Ends the session of the cookie, and its access tokens within a second. To end the session at the
 * identity provider too, open `end_session_url` in the browser. Returns 200 even without a session.
 *
 * **Who may call:** anyone, without a token
 */
export const logOut: Operation<{ body?: LogOutRequest | undefined }, LogOutResponse> = {
  id: 'logOut',
  method: 'POST',
  path: '/v1/auth/logout',
  auth: 'none',
  repeatable: true,
}

export type ListAdministratorsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('ACTIVE' | 'DISABLED')[] | undefined
}

/**
 * List administrators. Everyone who has ever logged in, newest first.
 *
 * **Who may call:** owner
 */
export const listAdministrators: Operation<{ query?: ListAdministratorsQuery | undefined }, ListAdministratorsResponse, Administrator> = {
  id: 'listAdministrators',
  method: 'GET',
  path: '/v1/administrators',
}

/**
 * Disable or enable an administrator. DISABLED ends all sessions and access tokens of the administrator within a
 * second and prevents logins; after ACTIVE, the administrator can log in again. Administrators cannot disable
 * themselves.
 *
 * **Who may call:** owner
 */
export const setAdministratorStatus: Operation<{ path: { administrator_id: AdministratorId }; body: SetAdministratorStatusRequest }, Administrator> = {
  id: 'setAdministratorStatus',
  method: 'PUT',
  path: '/v1/administrators/{administrator_id}/status',
  keyed: true,
}

export type ListAdministratorSessionsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List the sessions of an administrator. Active sessions, newest first.
 *
 * **Who may call:** owner
 */
export const listAdministratorSessions: Operation<{ path: { administrator_id: AdministratorId }; query?: ListAdministratorSessionsQuery | undefined }, ListAdministratorSessionsResponse, AdministratorSession> = {
  id: 'listAdministratorSessions',
  method: 'GET',
  path: '/v1/administrators/{administrator_id}/sessions',
}

/**
 * End a session of an administrator. Its access tokens end within a second. Returns `ended: false` if there is
 * no such session.
 *
 * **Who may call:** owner
 */
export const endAdministratorSession: Operation<{ path: { administrator_id: AdministratorId; session_id: SessionId } }, EndAdministratorSessionResponse> = {
  id: 'endAdministratorSession',
  method: 'DELETE',
  path: '/v1/administrators/{administrator_id}/sessions/{session_id}',
  keyed: true,
}

/**
 * List the credentials of a platform. Ids of the live credentials, newest first, without secrets.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listPlatformCredentials: Operation<{ path: { platform_id: PlatformId } }, CredentialList> = {
  id: 'listPlatformCredentials',
  method: 'GET',
  path: '/v1/platforms/{platform_id}/credentials',
}

/**
 * Create a credential for a platform. Only this response contains the `basic_token`. At most 20 credentials;
 * when all 20 are in use, an expired one is replaced. The body is optional and sets limits.
 *
 * **Who may call:** operator, owner
 */
export const createPlatformCredential: Operation<{ path: { platform_id: PlatformId }; body?: CreatePlatformCredentialRequest | undefined }, NewCredential> = {
  id: 'createPlatformCredential',
  method: 'POST',
  path: '/v1/platforms/{platform_id}/credentials',
  keyed: true,
}

/**
 * Read a credential of a platform. Returns its limits and its last use, without the secret.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readPlatformCredential: Operation<{ path: { platform_id: PlatformId; credential_id: CredentialId } }, Credential> = {
  id: 'readPlatformCredential',
  method: 'GET',
  path: '/v1/platforms/{platform_id}/credentials/{credential_id}',
}

export type RevokePlatformCredentialQuery = {
  /** For planned rotation: with `true`, user tokens issued through it stay valid until they expire */
  keep_user_tokens?: 'true' | 'false' | undefined
}

/**
 * Revoke a credential of a platform. Tokens issued through it stop working within a second. Returns `revoked:
 * false` when the credential does not exist. Repeated without `keep_user_tokens`, it ends the user tokens that
 * the first call kept.
 *
 * **Who may call:** operator, owner
 */
export const revokePlatformCredential: Operation<{ path: { platform_id: PlatformId; credential_id: CredentialId }; query?: RevokePlatformCredentialQuery | undefined }, Revocation> = {
  id: 'revokePlatformCredential',
  method: 'DELETE',
  path: '/v1/platforms/{platform_id}/credentials/{credential_id}',
  keyed: true,
}

/**
 * List the credentials of a benefit provider. Ids of the live credentials, newest first, without secrets.
 *
 * **Who may call:** benefit provider (own only), viewer, operator, owner
 */
export const listBenefitProviderCredentials: Operation<{ path: { benefit_provider_id: BenefitProviderId } }, CredentialList> = {
  id: 'listBenefitProviderCredentials',
  method: 'GET',
  path: '/v1/benefit_providers/{benefit_provider_id}/credentials',
}

/**
 * Create a credential for a benefit provider. Only this response contains the `basic_token`. At most 20
 * credentials; when all 20 are in use, an expired one is replaced. The body is optional and sets limits.
 *
 * **Who may call:** operator, owner
 */
export const createBenefitProviderCredential: Operation<{ path: { benefit_provider_id: BenefitProviderId }; body?: CreateBenefitProviderCredentialRequest | undefined }, NewCredential> = {
  id: 'createBenefitProviderCredential',
  method: 'POST',
  path: '/v1/benefit_providers/{benefit_provider_id}/credentials',
  keyed: true,
}

/**
 * Read a credential of a benefit provider. Returns its limits and its last use, without the secret.
 *
 * **Who may call:** benefit provider (own only), viewer, operator, owner
 */
export const readBenefitProviderCredential: Operation<{ path: { benefit_provider_id: BenefitProviderId; credential_id: CredentialId } }, Credential> = {
  id: 'readBenefitProviderCredential',
  method: 'GET',
  path: '/v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}',
}

/**
 * Revoke a credential of a benefit provider. Tokens issued through it stop working within a second. Returns
 * `revoked: false` when the credential does not exist.
 *
 * **Who may call:** operator, owner
 */
export const revokeBenefitProviderCredential: Operation<{ path: { benefit_provider_id: BenefitProviderId; credential_id: CredentialId } }, Revocation> = {
  id: 'revokeBenefitProviderCredential',
  method: 'DELETE',
  path: '/v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}',
  keyed: true,
}

/**
 * Exchange a credential for an access token. OAuth 2.0 client credentials (RFC 6749, 4.4): HTTP Basic with the
 * `basic_token`. The token is valid for 60 minutes. A form has at most 100 fields.
 *
 * **Who may call:** holders of a valid credential
 */
export const exchangeCredential: Operation<{ body: ExchangeCredentialRequest }, AccessToken> = {
  id: 'exchangeCredential',
  method: 'POST',
  path: '/v1/oauth/token',
  auth: 'basic',
  repeatable: true,
}

/**
 * Create a platform. Registers a partner company. A new platform is ACTIVE; create a credential for it next.
 *
 * **Who may call:** operator, owner
 */
export const createPlatform: Operation<{ body: CreatePlatformRequest }, Platform> = {
  id: 'createPlatform',
  method: 'POST',
  path: '/v1/platforms',
  keyed: true,
}

export type ListPlatformsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('ACTIVE' | 'INACTIVE')[] | undefined
}

/**
 * List platforms. Newest first.
 *
 * **Who may call:** viewer, operator, owner
 */
export const listPlatforms: Operation<{ query?: ListPlatformsQuery | undefined }, ListPlatformsResponse, Platform> = {
  id: 'listPlatforms',
  method: 'GET',
  path: '/v1/platforms',
}

/**
 * Read a platform. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** viewer, operator, owner
 */
export const readPlatform: Operation<{ path: { platform_id: PlatformId } }, Platform> = {
  id: 'readPlatform',
  method: 'GET',
  path: '/v1/platforms/{platform_id}',
}

/**
 * Disable or enable a platform. Setting INACTIVE stops the platform and every token issued to it or its users
 * within a second.
 *
 * **Who may call:** operator, owner
 */
export const setPlatformStatus: Operation<{ path: { platform_id: PlatformId }; body: SetPlatformStatusRequest }, Platform> = {
  id: 'setPlatformStatus',
  method: 'PUT',
  path: '/v1/platforms/{platform_id}/status',
  keyed: true,
}

/**
 * Read the web origins of a platform. Send the `ETag` as `If-None-Match` to read the record again only if it has
 * changed.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readWebOrigins: Operation<{ path: { platform_id: PlatformId } }, WebOrigins> = {
  id: 'readWebOrigins',
  method: 'GET',
  path: '/v1/platforms/{platform_id}/web_origins',
}

/**
 * Replace the web origins of a platform. Names the origins of the platform’s web apps: only their pages may call
 * with the tokens of its users, for a browser reads a response only where the service allows the origin (CORS).
 * Scheme, host and port, as in `https://app.example.com`; `http` for `localhost` only; `capacitor://localhost`
 * and `ionic://localhost` for apps that are made of web pages. An empty list allows none. A change holds within
 * five seconds.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const setWebOrigins: Operation<{ path: { platform_id: PlatformId }; body: SetWebOriginsRequest }, WebOrigins> = {
  id: 'setWebOrigins',
  method: 'PUT',
  path: '/v1/platforms/{platform_id}/web_origins',
  keyed: true,
}

/**
 * Read the limits of a platform’s wallets. Send the `ETag` as `If-None-Match` to read the record again only if
 * it has changed.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readWalletLimits: Operation<{ path: { platform_id: PlatformId } }, WalletLimits> = {
  id: 'readWalletLimits',
  method: 'GET',
  path: '/v1/platforms/{platform_id}/wallet_limits',
}

/**
 * Replace the limits of a platform’s wallets. Limits, in paise, what a wallet may hold, and what may be credited
 * to it and debited from it in a month and in a financial year (from 1 April) of India. Each entry holds from
 * its day until that of the next; what it leaves out is not limited. A booking above a limit is 409 `conflict`
 * `limit_reached`. Refunds (`refund_of`) are not limited and do not count. An empty list limits nothing. A
 * change holds within five seconds, one for a later day from that day’s first second.
 *
 * **Who may call:** operator, owner
 */
export const setWalletLimits: Operation<{ path: { platform_id: PlatformId }; body: SetWalletLimitsRequest }, WalletLimits> = {
  id: 'setWalletLimits',
  method: 'PUT',
  path: '/v1/platforms/{platform_id}/wallet_limits',
  keyed: true,
}

/**
 * Create a benefit provider. Registers an insurer or clinic network. `code` must be unique.
 *
 * **Who may call:** operator, owner
 */
export const createBenefitProvider: Operation<{ body: CreateBenefitProviderRequest }, BenefitProvider> = {
  id: 'createBenefitProvider',
  method: 'POST',
  path: '/v1/benefit_providers',
  keyed: true,
}

export type ListBenefitProvidersQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List benefit providers. Newest first.
 *
 * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
 */
export const listBenefitProviders: Operation<{ query?: ListBenefitProvidersQuery | undefined }, ListBenefitProvidersResponse, BenefitProvider> = {
  id: 'listBenefitProviders',
  method: 'GET',
  path: '/v1/benefit_providers',
}

/**
 * Read a benefit provider. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
 */
export const readBenefitProvider: Operation<{ path: { benefit_provider_id: BenefitProviderId } }, BenefitProvider> = {
  id: 'readBenefitProvider',
  method: 'GET',
  path: '/v1/benefit_providers/{benefit_provider_id}',
}

/**
 * Update a benefit provider. Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null`
 * removes it or `colour`. Documents show what was there when the policy was enrolled or issued.
 *
 * **Who may call:** operator, owner
 */
export const updateBenefitProvider: Operation<{ path: { benefit_provider_id: BenefitProviderId }; body: UpdateBenefitProviderRequest }, BenefitProvider> = {
  id: 'updateBenefitProvider',
  method: 'PATCH',
  path: '/v1/benefit_providers/{benefit_provider_id}',
  keyed: true,
}

/**
 * Create a sponsor. A new sponsor is PENDING until an administrator activates it.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const createSponsor: Operation<{ body: CreateSponsorRequest }, Sponsor> = {
  id: 'createSponsor',
  method: 'POST',
  path: '/v1/sponsors',
  keyed: true,
}

export type ListSponsorsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('PENDING' | 'ACTIVE' | 'INACTIVE')[] | undefined
}

/**
 * List sponsors. Newest first. Platforms see only their own.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listSponsors: Operation<{ query?: ListSponsorsQuery | undefined }, ListSponsorsResponse, Sponsor> = {
  id: 'listSponsors',
  method: 'GET',
  path: '/v1/sponsors',
}

export type ListSponsorNamesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** For administrators: only those of this platform. */
  platform_id?: PlatformId | undefined
  /** Only entries of sponsors with this id. May be repeated for several. */
  sponsor_id?: readonly SponsorId[] | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('PENDING' | 'ACTIVE' | 'INACTIVE')[] | undefined
}

/**
 * List the names of sponsors. Names alone, for those who show them alongside other records: no tax id, contact
 * or address. Newest first. Platforms see only their own. The audit has one entry for the list.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listSponsorNames: Operation<{ query?: ListSponsorNamesQuery | undefined }, ListSponsorNamesResponse, ListedSponsor> = {
  id: 'listSponsorNames',
  method: 'GET',
  path: '/v1/sponsor_names',
}

/**
 * Read a sponsor. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readSponsor: Operation<{ path: { sponsor_id: SponsorId } }, Sponsor> = {
  id: 'readSponsor',
  method: 'GET',
  path: '/v1/sponsors/{sponsor_id}',
}

/**
 * Update a sponsor. Top-level JSON merge patch (RFC 7396); `address` and `sponsor_details` are replaced as a
 * whole. Changing `pan` or `sponsor_kind` puts an ACTIVE sponsor back to PENDING.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const updateSponsor: Operation<{ path: { sponsor_id: SponsorId }; body: UpdateSponsorRequest }, Sponsor> = {
  id: 'updateSponsor',
  method: 'PATCH',
  path: '/v1/sponsors/{sponsor_id}',
  keyed: true,
}

/**
 * Set the status of a sponsor. Transitions: PENDING to ACTIVE or INACTIVE, ACTIVE to INACTIVE, INACTIVE to
 * ACTIVE.
 *
 * **Who may call:** operator, owner
 */
export const setSponsorStatus: Operation<{ path: { sponsor_id: SponsorId }; body: SetSponsorStatusRequest }, Sponsor> = {
  id: 'setSponsorStatus',
  method: 'PUT',
  path: '/v1/sponsors/{sponsor_id}/status',
  keyed: true,
}

/**
 * Create a benefit. Creates a benefit that a sponsor pays for and a benefit provider delivers, in one or more
 * plans.
 *
 * **Who may call:** operator, owner
 */
export const createBenefit: Operation<{ body: CreateBenefitRequest }, Benefit> = {
  id: 'createBenefit',
  method: 'POST',
  path: '/v1/benefits',
  keyed: true,
}

export type ListBenefitsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** For administrators: only those of this platform. */
  platform_id?: PlatformId | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('ACTIVE' | 'ARCHIVED')[] | undefined
}

/**
 * List benefits. Newest first. Lists ACTIVE benefits unless `status` is given. Platforms and their users see
 * benefits of their sponsors, benefit providers their own.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const listBenefits: Operation<{ query?: ListBenefitsQuery | undefined }, ListBenefitsResponse, Benefit> = {
  id: 'listBenefits',
  method: 'GET',
  path: '/v1/benefits',
}

/**
 * Read a benefit. Archived benefits stay readable.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const readBenefit: Operation<{ path: { benefit_id: BenefitId } }, Benefit> = {
  id: 'readBenefit',
  method: 'GET',
  path: '/v1/benefits/{benefit_id}',
}

/**
 * Update a benefit. Top-level JSON merge patch (RFC 7396); `plans` is replaced as a whole. Policies keep the
 * plan they were enrolled in.
 *
 * **Who may call:** operator, owner
 */
export const updateBenefit: Operation<{ path: { benefit_id: BenefitId }; body: UpdateBenefitRequest }, Benefit> = {
  id: 'updateBenefit',
  method: 'PATCH',
  path: '/v1/benefits/{benefit_id}',
  keyed: true,
}

/**
 * Delete a benefit. Archives the benefit. Rejected while policies that are not EXPIRED or REJECTED use it.
 * Deleting it again returns the same response.
 *
 * **Who may call:** operator, owner
 */
export const deleteBenefit: Operation<{ path: { benefit_id: BenefitId } }, DeleteBenefitResponse> = {
  id: 'deleteBenefit',
  method: 'DELETE',
  path: '/v1/benefits/{benefit_id}',
  keyed: true,
}

/**
 * Issue an app-user token. Finds the user of the calling platform by `id_proof.number`, else by phone, and
 * creates one if there is none. Until onboarding is complete, the fields sent update the user; afterwards only a
 * new phone number and a first id proof do. A `dob` or `gender` other than that of an onboarded user who is
 * found by phone is a 409, reason `different_person`.
 *
 * **Who may call:** platform
 */
export const issueToken: Operation<{ body: IssueTokenRequest }, IssuedUserToken> = {
  id: 'issueToken',
  method: 'POST',
  path: '/v1/auth/token',
  keyed: true,
}

export type ListUsersQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List users. Newest first. Platforms see only their own. The CSV also has the `employee_number` of each.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listUsers: Operation<{ query?: ListUsersQuery | undefined }, ListUsersResponse, User> = {
  id: 'listUsers',
  method: 'GET',
  path: '/v1/users',
}

export type SearchUsersQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * Search users. Searches by exactly one of: phone (dial code and number), `id_proof`, `external_policy_id`,
 * `employee_number`. Only exact matches are returned, newest first. The criteria are in the body so that URLs
 * contain no personal data; to follow a `Link`, send the same body again. Nothing is written: an
 * `Idempotency-Key` is neither needed nor stored.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const searchUsers: Operation<{ query?: SearchUsersQuery | undefined; body?: SearchUsersRequest | undefined }, SearchUsersResponse, User> = {
  id: 'searchUsers',
  method: 'POST',
  path: '/v1/users/search',
  repeatable: true,
}

/**
 * Read a user. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const readUser: Operation<{ path: { user_id: UserId } }, User> = {
  id: 'readUser',
  method: 'GET',
  path: '/v1/users/{user_id}',
}

/**
 * Update a user. Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null` removes a
 * field, after onboarding only `address`: the others are required from then on. Users may change only their own
 * `email` and `address`. Dial code and number change together, and a new phone ends the wallet sessions of the
 * old one. Both `null` set the number free for somebody else and end its wallet sessions; only a user with an id
 * proof can be without one, and is found by that from then on. A new name, title, gender or date of birth puts
 * ISSUED policies into REQUIRES_POLICY_REISSUANCE; documents already issued do not change. A patch without
 * changes returns the user unchanged.
 *
 * **Who may call:** platform (own only), app user (own only), operator, owner
 */
export const updateUser: Operation<{ path: { user_id: UserId }; body: UpdateUserRequest }, User> = {
  id: 'updateUser',
  method: 'PATCH',
  path: '/v1/users/{user_id}',
  keyed: true,
}

export type EraseUserQuery = {
  /** `true` ends policies that are in force. Otherwise they cause a 409. */
  end_policies?: 'true' | 'false' | undefined
}

/**
 * Erase a user. Destroys the data key of the user, so that none of their personal data can be decrypted, and
 * revokes every session and token within a second. From then on every URL of the user returns 404 and their
 * health cards are `not_valid`; their phone and id proof can belong to a new user. Wallet transactions and
 * policy numbers are retained without the person, as `fields` states; where a hold by rule 8(3) is set, the data
 * stays for a time, sealed for who has a key that no server has. With a notice period, `erased_at` is in the
 * future; repeating the request returns the same, and `DELETE …/erasure` cancels it. Benefit providers that had
 * a policy hear it by `user.erased`, with the ids of their policies. The wallet operator and the account
 * provider are not called: inform them of what they hold.
 *
 * **Who may call:** platform (own only), owner
 */
export const eraseUser: Operation<{ path: { user_id: UserId }; query?: EraseUserQuery | undefined }, Erasure> = {
  id: 'eraseUser',
  method: 'DELETE',
  path: '/v1/users/{user_id}',
  keyed: true,
}

/**
 * Read the employee number of a user. The number that the platform has set; `null` when there is none.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readUserReference: Operation<{ path: { user_id: UserId } }, UserReference> = {
  id: 'readUserReference',
  method: 'GET',
  path: '/v1/users/{user_id}/reference',
}

/**
 * Set the employee number of a user. The platform’s own number of the person, unique within the platform
 * whatever its case and outer white space; `null` clears it. It is a criterion of `POST /users/search` and a
 * column of the CSV of users. It is shown as it was sent.
 *
 * **Who may call:** platform (own only)
 */
export const setUserReference: Operation<{ path: { user_id: UserId }; body: SetUserReferenceRequest }, UserReference> = {
  id: 'setUserReference',
  method: 'PUT',
  path: '/v1/users/{user_id}/reference',
  keyed: true,
}

/**
 * End the sessions of a user. Ends the app tokens and the wallet sessions of the person within a second, and
 * makes the one-time codes under way void: for a lost phone, or a number in other hands. The person can sign in
 * again at once. The codes stay in `GET /v1/users/{user_id}/one_time_codes`. 204 also when there was no session.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const endUserSessions: Operation<{ path: { user_id: UserId } }, Done> = {
  id: 'endUserSessions',
  method: 'DELETE',
  path: '/v1/users/{user_id}/sessions',
  keyed: true,
  returns: 'nothing',
}

/**
 * Complete onboarding. Completes the profile and requests the purpose-bound account, which starts PENDING.
 * Sending the same body again returns the same user with a new token; a different body after completion is a
 * conflict. A token returned to the user ends with the one they sent.
 *
 * **Who may call:** platform (own only), app user (own only)
 */
export const completeOnboarding: Operation<{ path: { user_id: UserId }; body: CompleteOnboardingRequest }, OnboardedUser> = {
  id: 'completeOnboarding',
  method: 'POST',
  path: '/v1/users/{user_id}/complete_onboarding',
  keyed: true,
}

/**
 * Create dependants in bulk. Creates all or none, and returns them in the order sent. Two entries with equal
 * names and date of birth are an error. A dependant that is already registered is a conflict, as is exceeding
 * the limit per user, 50 by default.
 *
 * **Who may call:** platform (own only), app user (own only), operator, owner
 */
export const createDependants: Operation<{ path: { user_id: UserId }; body: CreateDependantsRequest }, CreateDependantsResponse> = {
  id: 'createDependants',
  method: 'POST',
  path: '/v1/users/{user_id}/dependants/bulk',
  keyed: true,
}

export type ListDependantsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List dependants. Lists the current versions, newest first.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const listDependants: Operation<{ path: { user_id: UserId }; query?: ListDependantsQuery | undefined }, ListDependantsResponse, Dependant> = {
  id: 'listDependants',
  method: 'GET',
  path: '/v1/users/{user_id}/dependants',
}

/**
 * Read a dependant. Superseded versions stay readable.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const readDependant: Operation<{ path: { user_id: UserId; dependant_id: DependantId } }, Dependant> = {
  id: 'readDependant',
  method: 'GET',
  path: '/v1/users/{user_id}/dependants/{dependant_id}',
}

/**
 * Correct a dependant. Creates a new version with a new id and `previous_version_id`. The previous version
 * leaves the list. A patch without changes creates none. A dependant has a limited number of versions, 100 by
 * default.
 *
 * **Who may call:** platform (own only), app user (own only), operator, owner
 */
export const updateDependant: Operation<{ path: { user_id: UserId; dependant_id: DependantId }; body: UpdateDependantRequest }, Dependant> = {
  id: 'updateDependant',
  method: 'PATCH',
  path: '/v1/users/{user_id}/dependants/{dependant_id}',
  keyed: true,
}

/**
 * Enrol a user in a plan. Creates a PENDING policy. Its first term is the plan’s, or ends on `end_date` where
 * that is earlier; later terms have the plan’s length and are counted from the day after it. It starts a year
 * ahead at most, and not so early that term and grace are over. Open policies of a user in the same plan never
 * overlap.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const enrolInsurancePolicy: Operation<{ path: { user_id: UserId }; body: EnrolInsurancePolicyRequest }, InsurancePolicy> = {
  id: 'enrolInsurancePolicy',
  method: 'POST',
  path: '/v1/users/{user_id}/insurance_policies',
  keyed: true,
}

export type ListInsurancePoliciesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED')[] | undefined
}

/**
 * List the insurance policies of a user. Newest first. `status` may be repeated. Benefit providers see only
 * policies of their own benefits.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const listInsurancePolicies: Operation<{ path: { user_id: UserId }; query?: ListInsurancePoliciesQuery | undefined }, ListInsurancePoliciesResponse, InsurancePolicy> = {
  id: 'listInsurancePolicies',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies',
}

export type ListAllInsurancePoliciesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
  /**
   * Only what changed after this time, in UTC. Send the time of your last look minus a minute: a change becomes
   * visible a moment after its time.
   */
  changed_after?: string | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('PENDING' | 'VERIFICATION' | 'APPROVED' | 'ISSUED' | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' | 'REQUIRES_POLICY_REISSUANCE' | 'REQUIRES_CUSTOMER_RENEWAL' | 'EXPIRED' | 'REJECTED')[] | undefined
  /** Only entries of benefits with this id. May be repeated for several. */
  benefit_id?: readonly BenefitId[] | undefined
  /** Only entries of benefit providers with this id. May be repeated for several. */
  benefit_provider_id?: readonly BenefitProviderId[] | undefined
  /**
   * Only policies that the calendar moves before this day: `next_move_on` is earlier. They are listed by that
   * day, the earliest first
   */
  due_before?: PlainDate | undefined
  /** Those that wait longest first; not together with `due_before` */
  order?: 'oldest' | undefined
  /** Only policies on which this person works: an id, `me`, or `none` for those on which nobody does */
  assignee?: string | undefined
  /**
   * Only applications that the benefit provider has sent back and that nobody has corrected or taken up since.
   * Those that wait longest come first; not together with `due_before`
   */
  sent_back?: 'true' | undefined
}

/**
 * List the insurance policies of all users. Last change first, then by id; small entries without personal data.
 * Send `next` as `after`, with the same filters, until it is `null`. What does not change while you page is
 * listed exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages,
 * and find it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A benefit provider
 * finds the policies of its benefits, a platform those of its users. With `order=oldest` those that wait longest
 * come first, by `status_since`: only policies in a state in which somebody has to act, so not those that are
 * ISSUED, EXPIRED or REJECTED.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listAllInsurancePolicies: Operation<{ query?: ListAllInsurancePoliciesQuery | undefined }, ListAllInsurancePoliciesResponse, ListedInsurancePolicy> = {
  id: 'listAllInsurancePolicies',
  method: 'GET',
  path: '/v1/insurance_policies',
}

export type SearchInsurancePoliciesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
}

/**
 * Search insurance policies by number. Searches by exactly one of `external_policy_id`, the benefit provider’s
 * number of the policy, `master_policy_number`, that of a group, and `policy_number`, what card and certificate
 * print: the benefit provider’s number or our reference, such as `YSZX-X6GZ-GVV0`, in capitals or not, with
 * hyphens or blanks or without; or the id. Only exact matches, last change first. What is retained of the
 * policies of erased users is found by who would have found them before, with its law and last day in
 * `retained`; the policy itself is a 404. The number is in the body so that URLs contain none; to continue, send
 * the same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor
 * stored.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const searchInsurancePolicies: Operation<{ query?: SearchInsurancePoliciesQuery | undefined; body?: SearchInsurancePoliciesRequest | undefined }, SearchInsurancePoliciesResponse, FoundInsurancePolicy> = {
  id: 'searchInsurancePolicies',
  method: 'POST',
  path: '/v1/insurance_policies/search',
  repeatable: true,
}

export type ListInsurancePolicyAssigneesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Who can work on the policies of this benefit provider. */
  benefit_provider_id?: BenefitProviderId | undefined
}

/**
 * List who can work on insurance policies. Those active people who can be assigned to a policy by the caller,
 * newest first. A benefit provider finds its own people, an administrator all administrators and, with
 * `benefit_provider_id`, the people of that benefit provider, too.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const listInsurancePolicyAssignees: Operation<{ query?: ListInsurancePolicyAssigneesQuery | undefined }, ListInsurancePolicyAssigneesResponse, PossibleAssignee> = {
  id: 'listInsurancePolicyAssignees',
  method: 'GET',
  path: '/v1/insurance_policies/assignees',
}

/**
 * Read an insurance policy. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const readInsurancePolicy: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicy> = {
  id: 'readInsurancePolicy',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}',
}

/**
 * Read the status of an insurance policy. Returns the status, as the lists, the timeline and the events state
 * it, and the transitions this caller may make. A transition that is due by the calendar shows once it is made,
 * within seconds; transitions by people are judged as if it were. The ETag is the policy’s.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const readInsurancePolicyStatus: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicyStatus> = {
  id: 'readInsurancePolicyStatus',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/status',
}

/**
 * Set the status of an insurance policy. The state table decides which transitions are allowed. The provider’s
 * policy numbers and metadata may be sent along. A renewal keeps the id and moves the dates by the plan’s term,
 * counted from the first start. Days covered by another open policy of the plan are rejected, as is issuing a
 * policy whose term and grace are over. The first issue, a renewal and a return from EXPIRED need a person with
 * names and a date of birth, an ACTIVE sponsor and a benefit that is not archived. Only an owner can take a
 * policy out of EXPIRED, or open its renewal window early, and must give a reason. APPROVED and ISSUED take
 * `persons_version` where persons on the policy were corrected since its status was last set by a benefit
 * provider or an administrator. Sending the current status changes nothing, whatever else is sent.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const setInsurancePolicyStatus: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId }; body: SetInsurancePolicyStatusRequest }, InsurancePolicyStatus> = {
  id: 'setInsurancePolicyStatus',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/status',
  keyed: true,
}

/**
 * Read the end of an insurance policy. Returns the day on which a policy ends, or ended, before its term, why,
 * and what is to be paid back. The ETag is the policy’s.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const readInsurancePolicyEnd: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicyEnd> = {
  id: 'readInsurancePolicyEnd',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end',
}

/**
 * Set the day on which an insurance policy ends. Of a policy that was issued. `on` is the last covered day.
 * Until then the status stays, and the record’s `end_date` is that day; there is no renewal window, no grace and
 * no renewal (409 `ending`). At 00:00 in India after it the policy is EXPIRED; by a day that is over, at once. A
 * day goes back 45 days by default; further back, within the term, a benefit provider or an administrator goes
 * with a reason, and before the term an owner. Sending another day moves the end. `amount` is for benefit
 * providers and administrators. The same again changes nothing.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const setInsurancePolicyEnd: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId }; body: SetInsurancePolicyEndRequest }, InsurancePolicyEnd> = {
  id: 'setInsurancePolicyEnd',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end',
  keyed: true,
  inRupees: true,
}

/**
 * Take back the end of an insurance policy. Until that day. The policy has its term again, with its renewal
 * window and grace. Where another policy of the plan covers the days after the end by now, it is a 409
 * `already_exists`. Of a policy without an end it changes nothing.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const withdrawInsurancePolicyEnd: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicyEnd> = {
  id: 'withdrawInsurancePolicyEnd',
  method: 'DELETE',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end',
  keyed: true,
}

/**
 * Read who works on an insurance policy. Who has taken it up, and since when; lists across users have the same,
 * and filter by it with `assignee`.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const readInsurancePolicyAssignee: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicyAssignee> = {
  id: 'readInsurancePolicyAssignee',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee',
}

/**
 * Assign an insurance policy. Says who works on a policy: you yourself, who have logged in, or the person in
 * `administrator_id`. A benefit provider assigns to its own people, an administrator to these and to
 * administrators. What somebody else has taken up is a 409 without `take_over`. It is no part of the policy,
 * whose version stays, and no event; the audit has it.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const assignInsurancePolicy: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId }; body?: AssignInsurancePolicyRequest | undefined }, InsurancePolicyAssignee> = {
  id: 'assignInsurancePolicy',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee',
  keyed: true,
}

/**
 * Release an insurance policy. Nobody works on it any more. Colleagues can release what somebody absent has
 * taken up. Releasing what nobody has taken up changes nothing.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const releaseInsurancePolicy: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicyAssignee> = {
  id: 'releaseInsurancePolicy',
  method: 'DELETE',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee',
  keyed: true,
}

export type ListInsurancePolicyTimelineQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List the timeline of an insurance policy. Newest first: status changes with caller and reason, issues,
 * uploaded and removed documents, corrections of the member and the dependants, and ends that were set and taken
 * back.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const listInsurancePolicyTimeline: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId }; query?: ListInsurancePolicyTimelineQuery | undefined }, ListInsurancePolicyTimelineResponse, InsurancePolicyTimelineEntry> = {
  id: 'listInsurancePolicyTimeline',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/timeline',
}

/**
 * List the terms of an insurance policy. The terms that the policy has covered, covers or will cover, the first
 * one first, with their issues, prices and members. The policy itself shows the newest, which begins later than
 * today where it was renewed early. Empty before the first issue.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const listInsurancePolicyTerms: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, ListInsurancePolicyTermsResponse> = {
  id: 'listInsurancePolicyTerms',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/terms',
}

export type ReadCoverageQuery = {
  /** Another day than today in India */
  on?: PlainDate | undefined
  /** Only this dependant; any version names the person */
  dependant_id?: DependantId | undefined
}

/**
 * Read who is covered on a day. For the user and each dependant, and each of their policies, whether it covers
 * the person on a day, past or future, and why not. It is said from what is stored now: a renewal holds for the
 * days of grace before it, and of a future day as if nothing more happened. A join that the benefit provider has
 * not accepted covers nobody, a rejected application neither (`expired`). It speaks of cover, not of claims:
 * waiting periods, exclusions and sums are the benefit provider’s. A benefit provider gets its own policies, and
 * who is on them. No name is shown.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const readCoverage: Operation<{ path: { user_id: UserId }; query?: ReadCoverageQuery | undefined }, Coverage> = {
  id: 'readCoverage',
  method: 'GET',
  path: '/v1/users/{user_id}/coverage',
}

export type SearchMembersQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
}

/**
 * Search the members of a group policy. The member file of a master policy on a day, past or future: its issued
 * policies, last change first, each with the people it covers on that day, from what is stored now. The CSV has
 * a row for each person, in the order of the policies. To continue, send the same body again with `next` as
 * `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const searchMembers: Operation<{ query?: SearchMembersQuery | undefined; body: SearchMembersRequest }, SearchMembersResponse, GroupPolicy> = {
  id: 'searchMembers',
  method: 'POST',
  path: '/v1/members/search',
  repeatable: true,
}

/**
 * List the next actions of a user. What must be done next of the user’s policies, endorsements, accounts,
 * wallet, consultations, consents and rights requests, who is waited for, and until when: derived from what is
 * stored now, the earliest `due_on` first, those without one last. Rights that run out, of which nobody is
 * waited for, are among them: `return_policy` and `cancel_erasure`. Consultations are shown to those who may
 * list them.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const listUserNextActions: Operation<{ path: { user_id: UserId } }, ListUserNextActionsResponse> = {
  id: 'listUserNextActions',
  method: 'GET',
  path: '/v1/users/{user_id}/next_actions',
}

export type ListNextActionsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
  /** For administrators: only those of this platform. */
  platform_id?: PlatformId | undefined
  /** For administrators and platforms: only those of this benefit provider. */
  benefit_provider_id?: BenefitProviderId | undefined
  /** Only entries with this value. May be repeated for several values. */
  who?: readonly ('user' | 'platform' | 'benefit_provider' | 'sponsor' | 'operator')[] | undefined
  /** Only what is due before this day: nothing without a `due_on` */
  due_before?: PlainDate | undefined
}

/**
 * List the next actions of all users. The work list: in which records of all users somebody is waited for, the
 * earliest `due_on` first, then those without one, which have waited longest first; small entries without
 * personal data. A benefit provider finds those of its policies, endorsements and consultations, a platform
 * those of its users and sponsors; consultations are shown to those who may list them. Rights that run out are
 * in the list of a user only. Send `next` as `after`, with the same filters, until it is `null`. What does not
 * change while you page is listed exactly once. There is no total.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listNextActions: Operation<{ query?: ListNextActionsQuery | undefined }, ListNextActionsResponse, NextAction> = {
  id: 'listNextActions',
  method: 'GET',
  path: '/v1/next_actions',
}

export type ListEndorsementsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
  /**
   * Only what changed after this time, in UTC. Send the time of your last look minus a minute: a change becomes
   * visible a moment after its time.
   */
  changed_after?: string | undefined
  /** Only entries with this value. May be repeated for several values. */
  state?: readonly ('REQUESTED' | 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN')[] | undefined
  /** Only those of this policy */
  insurance_policy_id?: PolicyId | undefined
  /** Only those that are REQUESTED and due before this day, the earliest first */
  due_before?: PlainDate | undefined
}

/**
 * List the endorsements of all users. Last change first, then by id; small entries without personal data. Send
 * `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed
 * exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and find
 * it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A benefit provider finds those
 * of its policies, a platform those of its users. With `due_before` those that wait, by the day on which they
 * are due.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listEndorsements: Operation<{ query?: ListEndorsementsQuery | undefined }, ListEndorsementsResponse, ListedEndorsement> = {
  id: 'listEndorsements',
  method: 'GET',
  path: '/v1/endorsements',
}

export type SearchEndorsementsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
}

/**
 * Search the endorsements of a group policy. The schedule of a master policy: its endorsements with a first day
 * between `from` and `to`, both included, in every state, last change first. A nominee is named too; an END is
 * of nobody. To continue, send the same body again with `next` as `after`. Nothing is written: an
 * `Idempotency-Key` is neither needed nor stored.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const searchEndorsements: Operation<{ query?: SearchEndorsementsQuery | undefined; body: SearchEndorsementsRequest }, SearchEndorsementsResponse, ScheduledEndorsement> = {
  id: 'searchEndorsements',
  method: 'POST',
  path: '/v1/endorsements/search',
  repeatable: true,
}

/**
 * Read an endorsement. With the reason of its decision.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const readEndorsement: Operation<{ path: { endorsement_id: EndorsementId } }, Endorsement> = {
  id: 'readEndorsement',
  method: 'GET',
  path: '/v1/endorsements/{endorsement_id}',
}

/**
 * Accept, refuse or take back an endorsement. The decision on the last pending one of a policy makes the next
 * issue of the term that runs, and of the next term if that is issued already, unless all were refused or
 * withdrawn; no date moves. A policy in REQUIRES_POLICY_REISSUANCE is ISSUED with it. Once it is refused, the
 * person stays corrected, and the last issue in force. Issuing the policy accepts all at once. `amount` is what
 * you charge, of a LEAVE or an END what you pay back: the deposit takes or gets it where the plan has a
 * `premium_gate`, else it is for information. A platform takes back with WITHDRAWN who it asked to join or
 * leave, and an end before its day.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const setEndorsementState: Operation<{ path: { endorsement_id: EndorsementId }; body: SetEndorsementStateRequest }, Endorsement> = {
  id: 'setEndorsementState',
  method: 'PUT',
  path: '/v1/endorsements/{endorsement_id}/state',
  keyed: true,
  inRupees: true,
}

/**
 * Set the nominee of an insurance policy. A dependant of the user, or `null` for nobody; it holds at once. An
 * issued policy has to be certified again: it gets an endorsement, and one that is ISSUED is
 * REQUIRES_POLICY_REISSUANCE.
 *
 * **Who may call:** platform (own only), app user (own only), operator, owner
 */
export const setInsurancePolicyNominee: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId }; body?: SetInsurancePolicyNomineeRequest | undefined }, InsurancePolicy> = {
  id: 'setInsurancePolicyNominee',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/nominee',
  keyed: true,
}

/**
 * List who is on an insurance policy. The user and the dependants, with their first and last days: also those
 * who have left, and those that the benefit provider has not accepted yet. Before the first issue it is who is
 * asked for. The ETag is the policy’s.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
 * owner
 */
export const listInsurancePolicyMembers: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId } }, InsurancePolicyMembers> = {
  id: 'listInsurancePolicyMembers',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/members',
}

/**
 * Set from when to when a dependant is on an insurance policy. Before the first issue: who is asked for. On an
 * issued policy each day is an endorsement, and one that is ISSUED is REQUIRES_POLICY_REISSUANCE: a person who
 * joins is covered from `from` once the benefit provider accepts it; who leaves is not covered after `to`, at
 * once. A day goes back 45 days by default; further back, within the term, an administrator goes with a reason,
 * and before the term an owner. The same again changes nothing.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const setInsurancePolicyMember: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; dependant_id: DependantId }; body?: SetInsurancePolicyMemberRequest | undefined }, InsurancePolicyMembers> = {
  id: 'setInsurancePolicyMember',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/members/{dependant_id}',
  keyed: true,
}

export type DownloadDocumentQuery = {
  /**
   * Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today,
   * else of the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue:
   * 404 with one
   */
  issue?: number | undefined
}

/**
 * Download a document of an insurance policy. Generated from the issue that holds today, else from the next; an
 * enrolment form from the enrolment. Returns a file that the benefit provider has uploaded instead, if there is
 * one, and 404 with a
 * detail until the document exists. Send the `ETag` as `If-None-Match` to check whether it has changed.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), operator, owner
 */
export const downloadDocument: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate` }; query?: DownloadDocumentQuery | undefined }, DocumentStream> = {
  id: 'downloadDocument',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}',
  returns: 'pdf',
}

export type UploadDocumentQuery = {
  /**
   * Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today,
   * else of the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue:
   * 404 with one
   */
  issue?: number | undefined
}

/**
 * Upload a document of an insurance policy. Replaces the generated document of the pending issue, else of the
 * last one; later issues have their
 * own documents. The file must be an intact PDF of at most 10 MiB, sent within 15 seconds. Returns 422 when it
 * is
 * encrypted, contains scripts or embedded files, exceeds 100 MiB when unpacked, or does anything but lead to one
 * of its pages
 * or, by a link, to an address that begins with `http://`, `https://`, `mailto:` or `tel:`.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const uploadDocument: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate` }; query?: UploadDocumentQuery | undefined; body: Uint8Array | ArrayBuffer | Blob }, InsurancePolicyDocument> = {
  id: 'uploadDocument',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}',
  sends: 'pdf',
}

export type DeleteDocumentUploadQuery = {
  /**
   * Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today,
   * else of the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue:
   * 404 with one
   */
  issue?: number | undefined
}

/**
 * Delete the upload of a document of an insurance policy. Deletes the upload for the pending issue, else for the
 * last one. The generated document is served
 * again. Returns the deleted upload, or 404 when there is none.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const deleteDocumentUpload: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate` }; query?: DeleteDocumentUploadQuery | undefined }, InsurancePolicyDocument> = {
  id: 'deleteDocumentUpload',
  method: 'DELETE',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}',
  keyed: true,
}

export type DownloadHealthCardQuery = {
  /**
   * Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today,
   * else of the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue:
   * 404 with one
   */
  issue?: number | undefined
}

/**
 * Download the health card of a member. Generated from the issue that holds today, else from the next. Returns a
 * file that the benefit provider has uploaded instead, if there is one, and 404 with a
 * detail until the document exists. Send the `ETag` as `If-None-Match` to check whether it has changed. The code
 * on a card opens a public page that shows whether the card is valid.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), operator, owner
 */
export const downloadHealthCard: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; member_id: 'self' | DependantId }; query?: DownloadHealthCardQuery | undefined }, DocumentStream> = {
  id: 'downloadHealthCard',
  method: 'GET',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}',
  returns: 'pdf',
}

export type UploadHealthCardQuery = {
  /**
   * Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today,
   * else of the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue:
   * 404 with one
   */
  issue?: number | undefined
}

/**
 * Upload the health card of a member. Replaces the generated document of the pending issue, else of the last
 * one; later issues have their
 * own documents. The file must be an intact PDF of at most 10 MiB, sent within 15 seconds. Returns 422 when it
 * is
 * encrypted, contains scripts or embedded files, exceeds 100 MiB when unpacked, or does anything but lead to one
 * of its pages
 * or, by a link, to an address that begins with `http://`, `https://`, `mailto:` or `tel:`.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const uploadHealthCard: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; member_id: 'self' | DependantId }; query?: UploadHealthCardQuery | undefined; body: Uint8Array | ArrayBuffer | Blob }, InsurancePolicyDocument> = {
  id: 'uploadHealthCard',
  method: 'PUT',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}',
  sends: 'pdf',
}

export type DeleteHealthCardUploadQuery = {
  /**
   * Number of an issue, as in the terms of the policy. Without it, a download is of the issue that holds today,
   * else of the next; an upload is for the pending issue, else for the last. The enrolment form is of no issue:
   * 404 with one
   */
  issue?: number | undefined
}

/**
 * Delete the upload of the health card of a member. Deletes the upload for the pending issue, else for the last
 * one. The generated document is served
 * again. Returns the deleted upload, or 404 when there is none.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const deleteHealthCardUpload: Operation<{ path: { user_id: UserId; insurance_policy_id: PolicyId; member_id: 'self' | DependantId }; query?: DeleteHealthCardUploadQuery | undefined }, InsurancePolicyDocument> = {
  id: 'deleteHealthCardUpload',
  method: 'DELETE',
  path: '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}',
  keyed: true,
}

/**
 * Open an account. Requests an account of this type from the account provider, fed by the bank account given at
 * onboarding. It is PENDING until the provider confirms it, then ACTIVE. A user can have one account of each
 * type.
 *
 * **Who may call:** platform (own only), app user (own only)
 */
export const createAccount: Operation<{ path: { user_id: UserId }; body: CreateAccountRequest }, Account> = {
  id: 'createAccount',
  method: 'POST',
  path: '/v1/users/{user_id}/accounts',
  keyed: true,
}

export type ListAccountsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('ACTIVE' | 'INACTIVE' | 'PENDING')[] | undefined
  /** Only entries with this value. May be repeated for several values. */
  account_type?: readonly ('SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR')[] | undefined
}

/**
 * List the accounts of a user. Newest first. `status` and `account_type` may be repeated.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const listAccounts: Operation<{ path: { user_id: UserId }; query?: ListAccountsQuery | undefined }, ListAccountsResponse, Account> = {
  id: 'listAccounts',
  method: 'GET',
  path: '/v1/users/{user_id}/accounts',
}

export type ListAllAccountsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
  /**
   * Only what changed after this time, in UTC. Send the time of your last look minus a minute: a change becomes
   * visible a moment after its time.
   */
  changed_after?: string | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('ACTIVE' | 'INACTIVE' | 'PENDING')[] | undefined
  /** Only entries with this value. May be repeated for several values. */
  account_type?: readonly ('SAVINGS' | 'HSA' | 'EDUCATION' | 'SPONSOR')[] | undefined
  /** What was changed longest ago first. What changes while you page is met again at the end. */
  order?: 'oldest' | undefined
}

/**
 * List the accounts of all users. Last change first, then by id; small entries without personal data. Send
 * `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed
 * exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and find
 * it again with `changed_after`. There is no total; `GET /v1/statistics` counts. Every change is a transition,
 * so `last_modified_at` is the time since which an account has its status.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listAllAccounts: Operation<{ query?: ListAllAccountsQuery | undefined }, ListAllAccountsResponse, ListedAccount> = {
  id: 'listAllAccounts',
  method: 'GET',
  path: '/v1/accounts',
}

/**
 * Read an account. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const readAccount: Operation<{ path: { user_id: UserId; account_id: AccountId } }, Account> = {
  id: 'readAccount',
  method: 'GET',
  path: '/v1/users/{user_id}/accounts/{account_id}',
}

/**
 * Read the status of an account. Returns the current status and the transitions this caller may make. The ETag
 * is the account’s.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const readAccountStatus: Operation<{ path: { user_id: UserId; account_id: AccountId } }, AccountStatus> = {
  id: 'readAccountStatus',
  method: 'GET',
  path: '/v1/users/{user_id}/accounts/{account_id}/status',
}

/**
 * Set the status of an account. Transitions: ACTIVE to INACTIVE and back, PENDING to INACTIVE. Only the account
 * provider can turn PENDING into ACTIVE.
 *
 * **Who may call:** operator, owner
 */
export const setAccountStatus: Operation<{ path: { user_id: UserId; account_id: AccountId }; body: SetAccountStatusRequest }, AccountStatus> = {
  id: 'setAccountStatus',
  method: 'PUT',
  path: '/v1/users/{user_id}/accounts/{account_id}/status',
  keyed: true,
}

/**
 * Create an account provider. A new account provider is `active`.
 *
 * **Who may call:** administrator key
 */
export const createAccountProvider: Operation<{ body: CreateAccountProviderRequest }, AccountProvider> = {
  id: 'createAccountProvider',
  method: 'POST',
  path: '/v1/account_providers',
  auth: 'admin_key',
  keyed: true,
}

export type ListAccountProvidersQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List account providers. Newest first.
 *
 * **Who may call:** administrator key
 */
export const listAccountProviders: Operation<{ query?: ListAccountProvidersQuery | undefined }, ListAccountProvidersResponse, AccountProvider> = {
  id: 'listAccountProviders',
  method: 'GET',
  path: '/v1/account_providers',
  auth: 'admin_key',
}

/**
 * Read an account provider. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** administrator key
 */
export const readAccountProvider: Operation<{ path: { account_provider_id: AccountProviderId } }, AccountProvider> = {
  id: 'readAccountProvider',
  method: 'GET',
  path: '/v1/account_providers/{account_provider_id}',
  auth: 'admin_key',
}

/**
 * Rename an account provider. Requires the administrator key, not a bearer token.
 *
 * **Who may call:** administrator key
 */
export const updateAccountProvider: Operation<{ path: { account_provider_id: AccountProviderId }; body: UpdateAccountProviderRequest }, AccountProvider> = {
  id: 'updateAccountProvider',
  method: 'PATCH',
  path: '/v1/account_providers/{account_provider_id}',
  auth: 'admin_key',
  keyed: true,
}

/**
 * Set the status of an account provider. Transitions: `active` to `inactive` and back. New accounts are opened
 * with the oldest active provider; existing accounts stay where they are.
 *
 * **Who may call:** administrator key
 */
export const setAccountProviderStatus: Operation<{ path: { account_provider_id: AccountProviderId }; body: SetAccountProviderStatusRequest }, AccountProvider> = {
  id: 'setAccountProviderStatus',
  method: 'PUT',
  path: '/v1/account_providers/{account_provider_id}/status',
  auth: 'admin_key',
  keyed: true,
}

/**
 * Open a consultation. A new consultation is OPEN. Benefit providers may open only their own, with users they
 * insure or treat. A user can have a limited number of open consultations, 20 by default, and of new ones a day,
 * 50 by default.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only)
 */
export const createConsultation: Operation<{ path: { user_id: UserId }; body: CreateConsultationRequest }, Consultation> = {
  id: 'createConsultation',
  method: 'POST',
  path: '/v1/users/{user_id}/consultations',
  keyed: true,
}

export type ListConsultationsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('OPEN' | 'CLOSED')[] | undefined
}

/**
 * List the consultations of a user. Newest first.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), owner
 */
export const listConsultations: Operation<{ path: { user_id: UserId }; query?: ListConsultationsQuery | undefined }, ListConsultationsResponse, Consultation> = {
  id: 'listConsultations',
  method: 'GET',
  path: '/v1/users/{user_id}/consultations',
}

export type ListAllConsultationsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
  /**
   * Only what changed after this time, in UTC. Send the time of your last look minus a minute: a change becomes
   * visible a moment after its time.
   */
  changed_after?: string | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('OPEN' | 'CLOSED')[] | undefined
  /** Only open consultations in which the benefit provider did not write last */
  unanswered_by?: 'provider' | undefined
  /** What was changed longest ago first. What changes while you page is met again at the end. */
  order?: 'oldest' | undefined
}

/**
 * List the consultations of all users. Last change first, then by id; small entries without personal data. Send
 * `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed
 * exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and find
 * it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A message is a change, too. A
 * benefit provider finds its own, a platform those of its users.
 *
 * **Who may call:** platform (own only), benefit provider (own only), owner
 */
export const listAllConsultations: Operation<{ query?: ListAllConsultationsQuery | undefined }, ListAllConsultationsResponse, ListedConsultation> = {
  id: 'listAllConsultations',
  method: 'GET',
  path: '/v1/consultations',
}

/**
 * Read a consultation. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), owner
 */
export const readConsultation: Operation<{ path: { user_id: UserId; consultation_id: ConsultationId } }, Consultation> = {
  id: 'readConsultation',
  method: 'GET',
  path: '/v1/users/{user_id}/consultations/{consultation_id}',
}

/**
 * Close a consultation. Transition: OPEN to CLOSED. A closed consultation accepts no messages.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only)
 */
export const setConsultationStatus: Operation<{ path: { user_id: UserId; consultation_id: ConsultationId }; body: SetConsultationStatusRequest }, Consultation> = {
  id: 'setConsultationStatus',
  method: 'PUT',
  path: '/v1/users/{user_id}/consultations/{consultation_id}/status',
  keyed: true,
}

/**
 * Write a message. The message shows the name of the user, platform or benefit provider that writes it. A user
 * can write a limited number of messages a day, 500 by default.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only)
 */
export const createMessage: Operation<{ path: { user_id: UserId; consultation_id: ConsultationId }; body: CreateMessageRequest }, Message> = {
  id: 'createMessage',
  method: 'POST',
  path: '/v1/users/{user_id}/consultations/{consultation_id}/messages',
  keyed: true,
}

export type ListMessagesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List the messages of a consultation. Oldest first. Messages are health data: of the administrators, only
 * owners can read them.
 *
 * **Who may call:** platform (own only), app user (own only), benefit provider (own only), owner
 */
export const listMessages: Operation<{ path: { user_id: UserId; consultation_id: ConsultationId }; query?: ListMessagesQuery | undefined }, ListMessagesResponse, Message> = {
  id: 'listMessages',
  method: 'GET',
  path: '/v1/users/{user_id}/consultations/{consultation_id}/messages',
  items: 'data.messages',
}

export type ListAllWalletsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours. */
  after?: string | undefined
  /**
   * Only what changed after this time, in UTC. Send the time of your last look minus a minute: a change becomes
   * visible a moment after its time.
   */
  changed_after?: string | undefined
  /** Only entries with this value. May be repeated for several values. */
  wallet_status?: readonly ('CREATED' | 'PENDING' | 'IN_PROGRESS' | 'COMPLETED' | 'RETRYING' | 'FAILED')[] | undefined
  /** Only entries with this value. May be repeated for several values. */
  wallet_status_partner?: readonly ('ACTIVE' | 'BLOCKED' | 'UNKNOWN')[] | undefined
  /** What was changed longest ago first. What changes while you page is met again at the end. */
  order?: 'oldest' | undefined
}

/**
 * List the wallets of all users. Last change first, then by id; small entries without personal data. Send `next`
 * as `after`, with the same filters, until it is `null`. What does not change while you page is listed exactly
 * once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and find it again
 * with `changed_after`. There is no total; `GET /v1/statistics` counts. A booking is a change, too.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listAllWallets: Operation<{ query?: ListAllWalletsQuery | undefined }, ListAllWalletsResponse, ListedWallet> = {
  id: 'listAllWallets',
  method: 'GET',
  path: '/v1/wallets',
}

/**
 * Read the wallet of a user. Returns the wallet with its balance, for platforms that credit it, or 404 until the
 * user has created it with `POST /wallet/v1/wallet`.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readUserWallet: Operation<{ path: { user_id: UserId } }, WalletWithLimits> = {
  id: 'readUserWallet',
  method: 'GET',
  path: '/v1/users/{user_id}/wallet',
}

/**
 * Ask the operator for the status of a wallet. Asks the operator now, and stores its status where it differs
 * from what its events reported. Every wallet is asked for within a day anyway. 503 when the operator gives no
 * definite response.
 *
 * **Who may call:** operator, owner
 */
export const refreshWallet: Operation<{ path: { user_id: UserId } }, Wallet> = {
  id: 'refreshWallet',
  method: 'POST',
  path: '/v1/users/{user_id}/wallet/refresh',
  keyed: true,
}

/**
 * Provision a wallet again. Sets a FAILED wallet back to PENDING and provisions it again, with the same wallet
 * id.
 *
 * **Who may call:** operator, owner
 */
export const retryWallet: Operation<{ path: { user_id: UserId } }, Wallet> = {
  id: 'retryWallet',
  method: 'POST',
  path: '/v1/users/{user_id}/wallet/retry',
  keyed: true,
}

/**
 * Provision many wallets again. Sets FAILED wallets back to PENDING, each as `POST
 * /v1/users/{user_id}/wallet/retry` does: those of `user_ids`, those of a platform, or those of all, the longest
 * FAILED first. At most 100 at once; the others stay as they are.
 *
 * **Who may call:** operator, owner
 */
export const retryWallets: Operation<{ body?: RetryWalletsRequest | undefined }, RetriedWallets> = {
  id: 'retryWallets',
  method: 'POST',
  path: '/v1/wallets/retry',
  keyed: true,
}

export type ListOneTimeCodesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List the one-time codes of a user. What became of the requests of the last 24 hours, newest first, to help
 * somebody who cannot sign in; never a code. Of refused requests, only the last one for the phone, if it was
 * made at the user's platform.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const listOneTimeCodes: Operation<{ path: { user_id: UserId }; query?: ListOneTimeCodesQuery | undefined }, ListOneTimeCodesResponse, OneTimeCode> = {
  id: 'listOneTimeCodes',
  method: 'GET',
  path: '/v1/users/{user_id}/one_time_codes',
}

/**
 * Credit a wallet. Adds paise to the wallet, booked against the platform’s own account, which has no limit: what
 * stands behind it is between the platform and the wallet operator. Returns 404 until the user has created the
 * wallet with `POST /wallet/v1/wallet`.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const creditWallet: Operation<{ path: { user_id: UserId }; body: CreditWalletRequest }, WalletTransaction> = {
  id: 'creditWallet',
  method: 'POST',
  path: '/v1/users/{user_id}/wallet/credits',
  keyed: true,
}

/**
 * Debit a wallet. Takes paise from the wallet, booked to the platform’s own account. Rejected when the balance
 * is too low or the wallet is blocked. Returns 404 until the user has created the wallet with `POST
 * /wallet/v1/wallet`.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const debitWallet: Operation<{ path: { user_id: UserId }; body: DebitWalletRequest }, WalletTransaction> = {
  id: 'debitWallet',
  method: 'POST',
  path: '/v1/users/{user_id}/wallet/debits',
  keyed: true,
}

export type ListUserWalletTransactionsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only bookings of this day (India) and later ones. */
  from?: PlainDate | undefined
  /** Only bookings of this day (India) and earlier ones. */
  to?: PlainDate | undefined
}

/**
 * List the transactions of a user’s wallet. Newest first. Returns 404 until the user has created the wallet with
 * `POST /wallet/v1/wallet`.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listUserWalletTransactions: Operation<{ path: { user_id: UserId }; query?: ListUserWalletTransactionsQuery | undefined }, ListUserWalletTransactionsResponse, WalletTransaction> = {
  id: 'listUserWalletTransactions',
  method: 'GET',
  path: '/v1/users/{user_id}/wallet/transactions',
}

export type ListDepositsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List the deposits of a sponsor. One for each benefit provider that it has paid in at. A benefit provider sees
 * its own.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listDeposits: Operation<{ path: { sponsor_id: SponsorId }; query?: ListDepositsQuery | undefined }, ListDepositsResponse, Deposit> = {
  id: 'listDeposits',
  method: 'GET',
  path: '/v1/sponsors/{sponsor_id}/deposits',
}

export type ListDepositEntriesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries made on this day (India) and later. */
  from?: PlainDate | undefined
  /** Only entries made on this day (India) and earlier. */
  to?: PlainDate | undefined
}

/**
 * List the entries of a deposit. Newest first. Their sum is the balance. As CSV with `Accept: text/csv`: the
 * statement of the deposit.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listDepositEntries: Operation<{ path: { sponsor_id: SponsorId; benefit_provider_id: BenefitProviderId }; query?: ListDepositEntriesQuery | undefined }, ListDepositEntriesResponse, DepositEntry> = {
  id: 'listDepositEntries',
  method: 'GET',
  path: '/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries',
}

/**
 * Enter what a sponsor has paid in, or what was taken back. The benefit provider says what it has received:
 * TOP_UP, from `paid_on` on; or that money is gone, as of a cheque that was returned: REVERSAL, which may leave
 * the balance below zero and ends no policy. A benefit provider goes back 45 days by default, an administrator
 * further. `reference` is unique in the deposit: the same entry again returns the first with 200, another one is
 * 409 `different_content`.
 *
 * **Who may call:** benefit provider (own only), operator, owner
 */
export const addDepositEntry: Operation<{ path: { sponsor_id: SponsorId; benefit_provider_id: BenefitProviderId }; body: AddDepositEntryRequest }, DepositEntry> = {
  id: 'addDepositEntry',
  method: 'POST',
  path: '/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries',
  keyed: true,
  inRupees: true,
}

/**
 * Set the balance below which a deposit is low. The event `deposit.low` is sent once each time the balance falls
 * below it. `null` sends none. A deposit can have one before anything was paid in.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const setDepositLowBelow: Operation<{ path: { sponsor_id: SponsorId; benefit_provider_id: BenefitProviderId }; body: SetDepositLowBelowRequest }, Deposit> = {
  id: 'setDepositLowBelow',
  method: 'PUT',
  path: '/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/low_below',
  keyed: true,
  inRupees: true,
}

export type ListEventsQuery = {
  /** Only entries with this value. May be repeated for several values. */
  type?: readonly ('user.created' | 'user.updated' | 'user.onboarded' | 'user.erasure_scheduled' | 'user.erasure_cancelled' | 'user.erased' | 'dependants.created' | 'dependant.updated' | 'consent.given' | 'consent.withdrawn' | 'consent.ended' | 'rights_request.status_changed' | 'policy.status_changed' | 'policy.corrected' | 'endorsement.status_changed' | 'policy.end_scheduled' | 'policy.end_withdrawn' | 'policy.renewal_due' | 'policy.term_started' | 'next_action.due' | 'deposit.low' | 'document.uploaded' | 'document.upload_deleted' | 'account.status_changed' | 'wallet.status_changed' | 'wallet.balance_changed' | 'consultation.status_changed' | 'consultation.message_created' | 'sponsor.created' | 'sponsor.updated' | 'sponsor.status_changed' | 'benefit.created' | 'benefit.updated' | 'benefit.deleted' | 'credential.created' | 'credential.revoked' | 'platform.status_changed' | 'account_provider.status_changed' | 'administrator.status_changed' | 'webhook_endpoint.enabled' | 'webhook_endpoint.disabled')[] | undefined
  /** Only events about the record with this id. */
  subject?: string | undefined
  /**
   * `asc`, the default: oldest first, for programs that follow. `desc`: newest first, and back in time, for
   * people who look; it misses what happens until the last page.
   */
  order?: 'asc' | 'desc' | undefined
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page, which is the id of an event, or `latest`. */
  after?: string | undefined
}

/**
 * List events. The events of the last 30 days, oldest first, or newest first with `order=desc`. A platform gets
 * its own events; a benefit provider those of its policies, their documents, its consultations, benefits,
 * credentials and webhook endpoints.
 *
 * Send `next` as `after` to continue: at once while `has_more` is true, otherwise whenever you like. You then
 * miss nothing and get nothing twice. With `type`, a page can be short or empty although `has_more` is true.
 * Without `after` the list starts 30 days ago, with `after=latest` now.
 *
 * An event is listed once every write that began before it has finished, usually within milliseconds. Events
 * about one record are in the order in which they happened.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listEvents: Operation<{ query?: ListEventsQuery | undefined }, ListEventsResponse, Event> = {
  id: 'listEvents',
  method: 'GET',
  path: '/v1/events',
}

export type ListAuditLogQuery = {
  /** Only entries of this caller: its kind and id, or the id of a person or a company alone; `me` for your own. */
  actor?: string | undefined
  /** Only entries about the record with this id. */
  subject?: string | undefined
  /** Only entries with this value. May be repeated for several values. */
  action?: readonly ('read' | 'change' | 'revoke' | 'token')[] | undefined
  /** Only entries of this day (India) and later ones. */
  from?: PlainDate | undefined
  /** Only entries of this day (India) and earlier ones. */
  to?: PlainDate | undefined
  /** `asc`, the default: oldest first. `desc`: newest first, and back in time. */
  order?: 'asc' | 'desc' | undefined
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. */
  after?: string | undefined
}

/**
 * List the audit log. Changes, reads of sealed personal data, revocations, and administrator tokens made on the
 * command line; oldest first, or newest first with `order=desc`. Send `next` as `after`, with the same `order`
 * and filters, to continue. With a filter, a page can be short or empty although `has_more` is true. Owners read
 * all of it, everybody else what they have done themselves, which is `actor=me`.
 *
 * **Who may call:** viewer (own only), operator (own only), owner
 */
export const listAuditLog: Operation<{ query?: ListAuditLogQuery | undefined }, ListAuditLogResponse, AuditEntry> = {
  id: 'listAuditLog',
  method: 'GET',
  path: '/v1/audit_log',
}

export type ListAccessLogQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. */
  after?: string | undefined
}

/**
 * List accesses to a user’s data. Newest first. A read is listed within a second. Send `next` as `after` to
 * continue.
 *
 * **Who may call:** platform (own only), app user (own only), owner
 */
export const listAccessLog: Operation<{ path: { user_id: UserId }; query?: ListAccessLogQuery | undefined }, ListAccessLogResponse, AccessEntry> = {
  id: 'listAccessLog',
  method: 'GET',
  path: '/v1/users/{user_id}/access_log',
}

export type ListExposureQuery = {
  /** The credential, or the session of somebody who had logged in. */
  credential_id: CredentialId
  /** Only what was done on this day (India) and later. */
  from?: PlainDate | undefined
  /** Only what was done on this day (India) and earlier. */
  to?: PlainDate | undefined
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Cursor: `next` of the previous page. */
  after?: string | undefined
}

/**
 * List what a credential has read or changed. After a credential was stolen: the persons whose data was read or
 * changed with it, also through tokens of users that were issued with it, each operation on each person once, in
 * the order in which that began. Owners see every credential and session, a platform its own credentials,
 * revoked ones too. Entries of the audit name the credential since version 0.3.0. Send `next` as `after` to
 * continue; a page can be short or empty although `has_more` is true.
 *
 * **Who may call:** platform (own only), owner
 */
export const listExposure: Operation<{ query?: ListExposureQuery | undefined }, ListExposureResponse, Exposure> = {
  id: 'listExposure',
  method: 'GET',
  path: '/v1/exposure',
}

export type ReadStatisticsQuery = {
  /** For administrators: count this platform only */
  platform_id?: PlatformId | undefined
}

/**
 * Count by state. How many policies, endorsements, accounts, wallets and users there are in each state, how many
 * events and webhook deliveries wait, and how many events there were in each hour of the last day. A worker
 * counts twice a minute; `as_of` is the time of counting. A platform gets its own counts, a benefit provider
 * those of its policies, endorsements, consultations and webhook deliveries: the others are 0.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const readStatistics: Operation<{ query?: ReadStatisticsQuery | undefined }, Statistics> = {
  id: 'readStatistics',
  method: 'GET',
  path: '/v1/statistics',
}

/**
 * List state machines. Every kind of record with states: its states, the transitions between them, who may make
 * each, which of them the calendar makes, and the event. Read from the tables that guard the records.
 *
 * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
 */
export const listStateMachines: Operation<{  }, ListStateMachinesResponse> = {
  id: 'listStateMachines',
  method: 'GET',
  path: '/v1/meta/state_machines',
}

/**
 * Read a state machine. The states of one kind of record, as in the list.
 *
 * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
 */
export const readStateMachine: Operation<{ path: { state_machine_name: string } }, StateMachine> = {
  id: 'readStateMachine',
  method: 'GET',
  path: '/v1/meta/state_machines/{state_machine_name}',
}

/**
 * List permissions. Every operation with the kinds of callers that may call it, and whether each reaches records
 * of its own only. Read from the table that guards the operations; a page draws it at
 * [/docs/permissions](/docs/permissions).
 *
 * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
 */
export const listPermissions: Operation<{  }, ListPermissionsResponse> = {
  id: 'listPermissions',
  method: 'GET',
  path: '/v1/meta/permissions',
}

/**
 * Create a webhook endpoint. New events are posted to the URL, signed according to Standard Webhooks with the
 * `secret` in this response. At most 20 endpoints.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
 */
export const createWebhookEndpoint: Operation<{ body: CreateWebhookEndpointRequest }, SecretWebhookEndpoint> = {
  id: 'createWebhookEndpoint',
  method: 'POST',
  path: '/v1/webhook_endpoints',
  keyed: true,
}

export type ListWebhookEndpointsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** For operators and owners: the id of a platform or benefit provider, whose endpoints to list */
  owner?: string | undefined
  /**
   * For operators and owners, without `owner`: the endpoints of all active partners whose last attempt failed,
   * or that were disabled for it
   */
  failing?: 'true' | 'false' | undefined
}

/**
 * List webhook endpoints. Newest first, without secrets. Administrators share theirs; operators and owners read
 * those of a partner with `owner`, and with `failing=true` those of all partners that fail.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer (own only), operator, owner
 */
export const listWebhookEndpoints: Operation<{ query?: ListWebhookEndpointsQuery | undefined }, ListWebhookEndpointsResponse, ListedWebhookEndpoint> = {
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: '/v1/webhook_endpoints',
}

/**
 * Read a webhook endpoint. The secret is not returned.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer (own only), operator, owner
 */
export const readWebhookEndpoint: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId } }, WebhookEndpoint> = {
  id: 'readWebhookEndpoint',
  method: 'GET',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}',
}

/**
 * Update a webhook endpoint. Top-level JSON merge patch (RFC 7396). `DISABLED` stops deliveries; `ACTIVE`
 * resumes pending ones. Events that happened while it was disabled are sent only by a replay.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
 */
export const updateWebhookEndpoint: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId }; body: UpdateWebhookEndpointRequest }, WebhookEndpoint> = {
  id: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}',
  keyed: true,
}

/**
 * Delete a webhook endpoint. Stops deliveries and deletes their log.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
 */
export const deleteWebhookEndpoint: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId } }, DeleteWebhookEndpointResponse> = {
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}',
  keyed: true,
}

/**
 * Rotate the secret of a webhook endpoint. For 24 hours deliveries are signed with both the new and the previous
 * secret, then with the new one only.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
 */
export const rotateWebhookSecret: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId } }, SecretWebhookEndpoint> = {
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret',
  keyed: true,
}

/**
 * Send a test event to a webhook endpoint. Queues a `webhook_endpoint.tested` event for this endpoint only,
 * whatever its `event_types`.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
 */
export const testWebhookEndpoint: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId } }, WebhookDelivery> = {
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}/test',
  keyed: true,
}

export type ListWebhookDeliveriesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  status?: readonly ('PENDING' | 'DELIVERED' | 'FAILED')[] | undefined
}

/**
 * List the deliveries of a webhook endpoint. Deliveries of the last 30 days with their attempts, newest event
 * first.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer (own only), operator, owner
 */
export const listWebhookDeliveries: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId }; query?: ListWebhookDeliveriesQuery | undefined }, ListWebhookDeliveriesResponse, WebhookDelivery> = {
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries',
}

/**
 * Replay a delivery. Queues the delivery again, with ten new attempts. The event keeps its id.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const replayWebhookDelivery: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId; delivery_id: DeliveryId } }, WebhookDelivery> = {
  id: 'replayWebhookDelivery',
  method: 'POST',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/replay',
  keyed: true,
}

/**
 * Replay events of a time range. Queues every event of the time range that matches the `event_types` of the
 * endpoint, including events already delivered and those missed while it was disabled; with `status` `FAILED`
 * only those whose delivery has failed. With `dry_run` nothing is queued, and `queued` says how many would be.
 * Events are kept for 30 days; at most 10,000 can be replayed at once.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const replayWebhookEvents: Operation<{ path: { webhook_endpoint_id: WebhookEndpointId }; body: ReplayWebhookEventsRequest }, WebhookReplay> = {
  id: 'replayWebhookEvents',
  method: 'POST',
  path: '/v1/webhook_endpoints/{webhook_endpoint_id}/replay',
  keyed: true,
}

export type CreateImportQuery = {
  /** What a row is. */
  kind: 'users' | 'enrolments' | 'members' | 'ends'
  /** Only check: nothing is kept but the report. */
  check_only?: 'true' | 'false' | undefined
  /** For administrators, who must name it: the platform whose list it is. The rows have its rights. */
  platform_id?: PlatformId | undefined
}

/**
 * Import a list in one file. Takes a list in one file, as CSV or as JSON Lines in UTF-8: up to 100,000 rows and
 * 64 MiB, sent within 15 seconds. [/docs/partners/imports](/docs/partners/imports) has the columns.
 *
 * Every row is checked with the checks of the single calls; then the rows without an error are written one by
 * one, as the single calls would. `check_only` ends after the
 * check. The response comes when the file has arrived; the import itself goes on, and `GET
 * /v1/imports/{import_id}` says how far it is.
 *
 * The same file again is the same import, a 200: it goes on where it stopped, rows with errors are tried again,
 * and what is done is not done twice. So there is
 * no `Idempotency-Key`.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const createImport: Operation<{ query?: CreateImportQuery | undefined; body: Uint8Array | ArrayBuffer | Blob }, Import> = {
  id: 'createImport',
  method: 'POST',
  path: '/v1/imports',
  repeatable: true,
  sends: 'csv',
}

/**
 * Read an import. How far it is, and what became of its rows. It is kept for 30 days after its last change.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readImport: Operation<{ path: { import_id: ImportId } }, Import> = {
  id: 'readImport',
  method: 'GET',
  path: '/v1/imports/{import_id}',
}

export type ListImportRowsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  outcome?: readonly ('DONE' | 'REJECTED' | 'LOST')[] | undefined
}

/**
 * List the rows of an import. The report, in the order of the file: an entry for each row that is done, and one
 * for each error of the others. It names row, column and ids, and never repeats what the file says.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const listImportRows: Operation<{ path: { import_id: ImportId }; query?: ListImportRowsQuery | undefined }, ListImportRowsResponse, ImportRow> = {
  id: 'listImportRows',
  method: 'GET',
  path: '/v1/imports/{import_id}/rows',
}

export type CreateComparisonQuery = {
  /** What a row is: a member of a group policy, or an entry of a deposit. */
  kind: 'members' | 'deposit'
  /** For `members`, which must name it: the number of the group policy. */
  master_policy_number?: string | undefined
  /** For `deposit`, which must name it: the sponsor. */
  sponsor_id?: SponsorId | undefined
  /** For `deposit`, which must name it: the benefit provider. */
  benefit_provider_id?: BenefitProviderId | undefined
  /** For `deposit`: the first day of the file; that of the first entry unless it is named. */
  from?: PlainDate | undefined
  /** The day of the file, of `deposit` its last one; today in India unless it is named. */
  on?: PlainDate | undefined
}

/**
 * Compare a file with what is stored. Takes a file of a benefit provider or its administrator (TPA), as CSV in
 * UTF-8: up to 100,000 rows and 64 MiB. `members` is the member file of one group policy; the columns are those
 * of `POST /v1/members/search`. `deposit` is the statement of a deposit; the columns are those of `GET
 * /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries`, or the usual ones of a statement. The file
 * of either compares without a difference. The response comes when all is compared, with the number of
 * differences of each kind; `GET /v1/comparisons/{comparison_id}/differences` lists them. Nothing else is
 * changed. The same file has the same response as long as nothing has changed here.
 * [/docs/partners/comparing](/docs/partners/comparing) has the columns.
 *
 * **Who may call:** platform (own only), benefit provider (own only), operator, owner
 */
export const createComparison: Operation<{ query?: CreateComparisonQuery | undefined; body: Uint8Array | ArrayBuffer | Blob }, Comparison> = {
  id: 'createComparison',
  method: 'POST',
  path: '/v1/comparisons',
  sends: 'csv',
}

/**
 * Read a comparison. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const readComparison: Operation<{ path: { comparison_id: ComparisonId } }, Comparison> = {
  id: 'readComparison',
  method: 'GET',
  path: '/v1/comparisons/{comparison_id}',
}

export type ListDifferencesQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only entries with this value. May be repeated for several values. */
  difference?: readonly ('missing_here' | 'missing_there' | 'name' | 'birth' | 'gender' | 'first_day' | 'last_day' | 'amount' | 'day' | 'kind' | 'balance' | 'doubled' | 'unreadable')[] | undefined
}

/**
 * List the differences of a comparison. In the order of the file, then who is covered and has no row, or which
 * entry has none. It names rows, columns and ids, and never repeats what the file says.
 *
 * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
 */
export const listDifferences: Operation<{ path: { comparison_id: ComparisonId }; query?: ListDifferencesQuery | undefined }, ListDifferencesResponse, Difference> = {
  id: 'listDifferences',
  method: 'GET',
  path: '/v1/comparisons/{comparison_id}/differences',
}

/**
 * Set a notice of the platform. What the platform says to people before they consent: itemised, in one language.
 * Returns 201 when it is new. Once a consent names it, it is evidence and cannot be changed: give the next one
 * another version.
 *
 * **Who may call:** platform (own only)
 */
export const setNotice: Operation<{ path: { version: string; language: string }; body: SetNoticeRequest }, ConsentNotice> = {
  id: 'setNotice',
  method: 'PUT',
  path: '/v1/notices/{version}/{language}',
  keyed: true,
}

/**
 * Read a notice of the platform. Send the `ETag` as `If-None-Match` to read the record again only if it has
 * changed.
 *
 * **Who may call:** platform (own only), app user (own only)
 */
export const readNotice: Operation<{ path: { version: string; language: string } }, ConsentNotice> = {
  id: 'readNotice',
  method: 'GET',
  path: '/v1/notices/{version}/{language}',
}

/**
 * Record a consent. The consent of a person to one purpose, on a notice that was set before. Who is below 18 by
 * the stored birth has a PARENT or GUARDIAN consent, who is 18. `children` is the consent of the user for the
 * children they register within 24 hours of it. What names the notice makes it unchangeable.
 *
 * **Who may call:** platform (own only), app user (own only)
 */
export const giveConsent: Operation<{ path: { user_id: UserId }; body: GiveConsentRequest }, Consent> = {
  id: 'giveConsent',
  method: 'POST',
  path: '/v1/users/{user_id}/consents',
  keyed: true,
}

export type ListConsentsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List the consents of a user. Newest first, with those that were withdrawn.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const listConsents: Operation<{ path: { user_id: UserId }; query?: ListConsentsQuery | undefined }, ListConsentsResponse, Consent> = {
  id: 'listConsents',
  method: 'GET',
  path: '/v1/users/{user_id}/consents',
}

/**
 * Withdraw a consent. Stops what is new for its purpose, where the platform has such a rule; it ends no policy
 * and moves no money. The consent stays in the list with `withdrawn_at`. The event `consent.withdrawn` asks the
 * platform and the person’s benefit providers for what follows from it.
 *
 * **Who may call:** platform (own only), app user (own only)
 */
export const withdrawConsent: Operation<{ path: { user_id: UserId; consent_id: ConsentId } }, Consent> = {
  id: 'withdrawConsent',
  method: 'DELETE',
  path: '/v1/users/{user_id}/consents/{consent_id}',
  keyed: true,
}

/**
 * Read the consent rules of a platform. Send the `ETag` as `If-None-Match` to read the record again only if it
 * has changed.
 *
 * **Who may call:** platform (own only), viewer, operator, owner
 */
export const readConsentRules: Operation<{ path: { platform_id: PlatformId } }, ConsentRules> = {
  id: 'readConsentRules',
  method: 'GET',
  path: '/v1/platforms/{platform_id}/consent_rules',
}

/**
 * Replace the consent rules of a platform. From the day of a rule on, what is new for its purpose is a 409
 * `consent_missing` without a consent; with the ground LEGITIMATE_USE it needs none. `insurance`: to enrol, and
 * to join a member; `children`: to register a dependant below 18; `care`: to open a consultation; `wallet`: to
 * create one; `accounts`: to open one, also by onboarding. A purpose without a rule is not checked. A change
 * holds within five seconds.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const setConsentRules: Operation<{ path: { platform_id: PlatformId }; body?: SetConsentRulesRequest | undefined }, ConsentRules> = {
  id: 'setConsentRules',
  method: 'PUT',
  path: '/v1/platforms/{platform_id}/consent_rules',
  keyed: true,
}

/**
 * Ask the platform by the law on personal data. Records what a person asks for: access, correction, erasure, a
 * nomination, or a grievance. It is RECEIVED, and due within the platform’s `response_days`: 90 unless it set
 * another number, and never more for a grievance. The request itself changes nothing else.
 *
 * **Who may call:** platform (own only), app user (own only)
 */
export const createRightsRequest: Operation<{ path: { user_id: UserId }; body: CreateRightsRequestRequest }, RightsRequest> = {
  id: 'createRightsRequest',
  method: 'POST',
  path: '/v1/users/{user_id}/rights_requests',
  keyed: true,
}

export type ListRightsRequestsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
}

/**
 * List what a user has asked by the law on personal data. Newest first.
 *
 * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
 */
export const listRightsRequests: Operation<{ path: { user_id: UserId }; query?: ListRightsRequestsQuery | undefined }, ListRightsRequestsResponse, RightsRequest> = {
  id: 'listRightsRequests',
  method: 'GET',
  path: '/v1/users/{user_id}/rights_requests',
}

/**
 * Set the state of a rights request. Transitions: RECEIVED to IN_PROGRESS, then ANSWERED or, with a reason,
 * REFUSED.
 *
 * **Who may call:** platform (own only), operator, owner
 */
export const setRightsRequestState: Operation<{ path: { user_id: UserId; request_id: string }; body: SetRightsRequestStateRequest }, RightsRequest> = {
  id: 'setRightsRequestState',
  method: 'PUT',
  path: '/v1/users/{user_id}/rights_requests/{request_id}/state',
  keyed: true,
}

/**
 * Export everything about a user. One JSON document with everything about the person: profile, all versions of
 * dependants, policies and their ends, accounts, consultations with their messages, wallet and bookings, who has
 * access, uploaded documents, wallet sessions, a scheduled erasure, status changes, and the access log. Policy
 * documents are not included; download them from the URLs in each policy. `schema` is the URL of the JSON
 * Schema. By default, a caller may export a user ten times an hour.
 *
 * **Who may call:** platform (own only), app user (own only), owner
 */
export const exportUser: Operation<{ path: { user_id: UserId } }, UserExport> = {
  id: 'exportUser',
  method: 'GET',
  path: '/v1/users/{user_id}/export',
}

/**
 * Preview the erasure of a user. What `DELETE …/users/{user_id}` would do now: when, what prevents it, and what
 * would become of each field. Changes nothing, and decrypts nothing.
 *
 * **Who may call:** platform (own only), owner
 */
export const previewUserErasure: Operation<{ path: { user_id: UserId } }, ErasurePreview> = {
  id: 'previewUserErasure',
  method: 'GET',
  path: '/v1/users/{user_id}/erasure',
}

/**
 * Cancel the erasure of a user. Possible during the notice period, if there is one. Without a scheduled erasure,
 * `cancelled` is `false`. Returns 404 for a user who was erased.
 *
 * **Who may call:** platform (own only), owner
 */
export const cancelErasure: Operation<{ path: { user_id: UserId } }, CancelledErasure> = {
  id: 'cancelErasure',
  method: 'DELETE',
  path: '/v1/users/{user_id}/erasure',
  keyed: true,
}

/**
 * Request a one-time code. Sends a six-digit code to the phone, valid for five minutes. The response is the same
 * for an unknown phone. An unknown platform is a 404 outside production; in production it counts for the IP
 * address only. Limits by default: once in 30 seconds and five times an hour for a phone, 300 times an hour for
 * a network address.
 *
 * **Who may call:** anyone, without a token
 */
export const requestOtp: Operation<{ body: RequestOtpRequest }, OtpChallenge> = {
  id: 'requestOtp',
  method: 'POST',
  path: '/wallet/v1/auth/otp',
  auth: 'none',
}

/**
 * Exchange a one-time code for a token pair. A code works once; five wrong codes end the challenge. By default,
 * an IP address may send 30 wrong codes an hour.
 *
 * **Who may call:** anyone, without a token
 */
export const verifyOtp: Operation<{ body: VerifyOtpRequest }, TokenPair> = {
  id: 'verifyOtp',
  method: 'POST',
  path: '/wallet/v1/auth/otp/verify',
  auth: 'none',
}

/**
 * Refresh a token pair. A refresh token works once. Reusing one ends the session, except that sending the last
 * one again within ten seconds returns the same pair. Sessions end after 30 days without use, and after 90 days
 * in any case.
 *
 * **Who may call:** anyone, without a token
 */
export const refreshWalletToken: Operation<{ body: RefreshWalletTokenRequest }, TokenPair> = {
  id: 'refreshWalletToken',
  method: 'POST',
  path: '/wallet/v1/auth/token/refresh',
  auth: 'none',
  repeatable: true,
}

/**
 * End a session. Ends the session of the refresh token; its access tokens stop working within a second. Always
 * returns 200.
 *
 * **Who may call:** anyone, without a token
 */
export const logOutOfWallet: Operation<{ body: LogOutOfWalletRequest }, LogOutOfWalletResponse> = {
  id: 'logOutOfWallet',
  method: 'POST',
  path: '/wallet/v1/auth/logout',
  auth: 'none',
  repeatable: true,
}

/**
 * Create the wallet. A user has one wallet. Returns 201 and `created: true` when the call created it, 200 and
 * `created: false` when it existed. A FAILED wallet is provisioned again. Only the user creates a wallet, after
 * signing in with a one-time code: a platform cannot.
 *
 * **Who may call:** wallet user (own only)
 */
export const createWallet: Operation<{  }, Wallet> = {
  id: 'createWallet',
  method: 'POST',
  path: '/wallet/v1/wallet',
  auth: 'wallet_bearer',
  keyed: true,
}

/**
 * Read the wallet. Returns the caller’s wallet, or 404 until it is created.
 *
 * **Who may call:** wallet user (own only)
 */
export const readWallet: Operation<{  }, WalletWithLimits> = {
  id: 'readWallet',
  method: 'GET',
  path: '/wallet/v1/wallet',
  auth: 'wallet_bearer',
}

/**
 * Read the status of a wallet. Returns the provisioning status. `wallet_id` is the `partner_wallet_id` of the
 * wallet.
 *
 * **Who may call:** wallet user (own only)
 */
export const readWalletStatus: Operation<{ path: { wallet_id: WalletId } }, WalletStatus> = {
  id: 'readWalletStatus',
  method: 'GET',
  path: '/wallet/v1/wallet/{wallet_id}/status',
  auth: 'wallet_bearer',
}

/**
 * Receive a status from the operator. Signed by the operator. Signatures older than five minutes are rejected. A
 * repeated event, or one with an older `sequence`, changes nothing. An event that contradicts what is known,
 * because another status came under that `sequence` or a later one, or something else under that `event_id`, has
 * the operator asked for the status within seconds; so has a `sequence` more than 1,000,000 ahead, which is a
 * 422. BLOCKED counts at once; ACTIVE unblocks a wallet if the operator, which is then asked, responds the same,
 * otherwise when it does.
 *
 * **Who may call:** the wallet operator
 */
export const receiveOperatorEvent: Operation<{ body: ReceiveOperatorEventRequest }, ReceiveOperatorEventResponse> = {
  id: 'receiveOperatorEvent',
  method: 'POST',
  path: '/wallet/v1/operator/events',
  auth: 'signature',
}

export type ListWalletTransactionsQuery = {
  /** Maximum number of entries to return. */
  limit?: number | undefined
  /** Number of entries to skip. */
  offset?: number | undefined
  /** Only bookings of this day (India) and later ones. */
  from?: PlainDate | undefined
  /** Only bookings of this day (India) and earlier ones. */
  to?: PlainDate | undefined
}

/**
 * List the transactions of the wallet. Newest first. Returns 404 until the user has created the wallet with
 * `POST /wallet/v1/wallet`.
 *
 * **Who may call:** wallet user (own only)
 */
export const listWalletTransactions: Operation<{ query?: ListWalletTransactionsQuery | undefined }, ListWalletTransactionsResponse, WalletTransaction> = {
  id: 'listWalletTransactions',
  method: 'GET',
  path: '/wallet/v1/wallet/transactions',
  auth: 'wallet_bearer',
}

/**
 * Read the public keys. Keys to verify access tokens with (RFC 7517). During a rotation there are several.
 *
 * **Who may call:** anyone, without a token
 */
export const readKeys: Operation<{  }, ReadKeysResponse> = {
  id: 'readKeys',
  method: 'GET',
  path: '/.well-known/jwks.json',
  auth: 'none',
}

/**
 * Read the authorization server metadata. Metadata of the authorization server (RFC 8414).
 *
 * **Who may call:** anyone, without a token
 */
export const readAuthorizationServer: Operation<{  }, ReadAuthorizationServerResponse> = {
  id: 'readAuthorizationServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  auth: 'none',
}

/**
 * Check a health card. Target of the code on a health card or certificate, whose URL is shorter: `/C/{token}`.
 * Returns the cover today, as JSON or as an HTML page. For a code that is not signed by this service, or belongs
 * to nobody, the result is `not_valid`, without the other fields. The card of somebody who is covered, but was
 * corrected and issued again since, has `newer_card`. The code is read in either case.
 *
 * **Who may call:** anyone, without a token
 */
export const checkHealthCard: Operation<{ path: { token: string } }, CheckHealthCardResponse> = {
  id: 'checkHealthCard',
  method: 'GET',
  path: '/verify/health_card/{token}',
  auth: 'none',
}
