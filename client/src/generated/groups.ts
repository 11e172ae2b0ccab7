// Generated from openapi.json by `npm run generate`. Do not edit.

import { Group, GroupOfUser } from '../group.ts'
import type { List } from '../list.ts'
import type { Money } from '../money.ts'
import type { Done, DocumentStream, IfMatch, IfNoneMatch, NotModified, ReadOptions, Redirect, WriteOptions } from '../operation.ts'
import type { AccountId, AccountProviderId, AdministratorId, BenefitId, BenefitProviderId, ComparisonId, ConsentId, ConsultationId, CredentialId, DeliveryId, DependantId, EndorsementId, ImportId, PlatformId, PolicyId, SessionId, SponsorId, WalletId, WebhookEndpointId } from './ids.ts'
import * as operations from './operations.ts'
import type { BeginLoginQuery, CreateComparisonQuery, CreateImportQuery, DeleteDocumentUploadQuery, DeleteHealthCardUploadQuery, DownloadDocumentQuery, DownloadHealthCardQuery, EraseUserQuery, FinishLoginQuery, ListAccessLogQuery, ListAccountProvidersQuery, ListAccountsQuery, ListAdministratorSessionsQuery, ListAdministratorsQuery, ListAllAccountsQuery, ListAllConsultationsQuery, ListAllInsurancePoliciesQuery, ListAllWalletsQuery, ListAuditLogQuery, ListBenefitProvidersQuery, ListBenefitsQuery, ListConsentsQuery, ListConsultationsQuery, ListDependantsQuery, ListDepositEntriesQuery, ListDepositsQuery, ListDifferencesQuery, ListEndorsementsQuery, ListEventsQuery, ListExposureQuery, ListImportRowsQuery, ListInsurancePoliciesQuery, ListInsurancePolicyAssigneesQuery, ListInsurancePolicyTimelineQuery, ListMessagesQuery, ListNextActionsQuery, ListOneTimeCodesQuery, ListPlatformsQuery, ListRightsRequestsQuery, ListSponsorNamesQuery, ListSponsorsQuery, ListUserWalletTransactionsQuery, ListUsersQuery, ListWalletTransactionsQuery, ListWebhookDeliveriesQuery, ListWebhookEndpointsQuery, ReadCoverageQuery, ReadStatisticsQuery, RevokePlatformCredentialQuery, SearchEndorsementsQuery, SearchInsurancePoliciesQuery, SearchMembersQuery, SearchUsersQuery, UploadDocumentQuery, UploadHealthCardQuery } from './operations.ts'
import type { AccessEntry, AccessToken, Account, AccountProvider, AccountStatus, AddDepositEntryRequest, Administrator, AdministratorSession, AssignInsurancePolicyRequest, AuditEntry, Benefit, BenefitProvider, CancelledErasure, CheckHealthCardResponse, Comparison, CompleteOnboardingRequest, Consent, ConsentNotice, ConsentRules, Consultation, Coverage, CreateAccountProviderRequest, CreateAccountRequest, CreateBenefitProviderCredentialRequest, CreateBenefitProviderRequest, CreateBenefitRequest, CreateConsultationRequest, CreateDependantsRequest, CreateDependantsResponse, CreateMessageRequest, CreatePlatformCredentialRequest, CreatePlatformRequest, CreateRightsRequestRequest, CreateSessionTokenResponse, CreateSponsorRequest, CreateWebhookEndpointRequest, Credential, CredentialList, CreditWalletRequest, CurrentSession, DebitWalletRequest, DeleteBenefitResponse, DeleteWebhookEndpointResponse, Dependant, Deposit, DepositEntry, Difference, EndAdministratorSessionResponse, Endorsement, EnrolInsurancePolicyRequest, Erasure, ErasurePreview, Event, ExchangeCredentialRequest, Exposure, FoundInsurancePolicy, GiveConsentRequest, GroupPolicy, Import, ImportRow, InsurancePolicy, InsurancePolicyAssignee, InsurancePolicyDocument, InsurancePolicyEnd, InsurancePolicyMembers, InsurancePolicyStatus, InsurancePolicyTimelineEntry, IssueTokenRequest, IssuedUserToken, ListAccessLogResponse, ListAccountProvidersResponse, ListAccountsResponse, ListAdministratorSessionsResponse, ListAdministratorsResponse, ListAllAccountsResponse, ListAllConsultationsResponse, ListAllInsurancePoliciesResponse, ListAllWalletsResponse, ListAuditLogResponse, ListBenefitProvidersResponse, ListBenefitsResponse, ListConsentsResponse, ListConsultationsResponse, ListDependantsResponse, ListDepositEntriesResponse, ListDepositsResponse, ListDifferencesResponse, ListEndorsementsResponse, ListEventsResponse, ListExposureResponse, ListImportRowsResponse, ListInsurancePoliciesResponse, ListInsurancePolicyAssigneesResponse, ListInsurancePolicyTermsResponse, ListInsurancePolicyTimelineResponse, ListMessagesResponse, ListNextActionsResponse, ListOneTimeCodesResponse, ListPermissionsResponse, ListPlatformsResponse, ListRightsRequestsResponse, ListSponsorNamesResponse, ListSponsorsResponse, ListStateMachinesResponse, ListUserNextActionsResponse, ListUserWalletTransactionsResponse, ListUsersResponse, ListWalletTransactionsResponse, ListWebhookDeliveriesResponse, ListWebhookEndpointsResponse, ListedAccount, ListedConsultation, ListedEndorsement, ListedInsurancePolicy, ListedSponsor, ListedWallet, ListedWebhookEndpoint, LogOutOfWalletRequest, LogOutOfWalletResponse, LogOutRequest, LogOutResponse, Message, NewCredential, NextAction, OnboardedUser, OneTimeCode, OtpChallenge, Platform, PossibleAssignee, ReadAuthorizationServerResponse, ReadKeysResponse, ReceiveOperatorEventRequest, ReceiveOperatorEventResponse, RefreshWalletTokenRequest, ReplayWebhookEventsRequest, RequestOtpRequest, RetriedWallets, RetryWalletsRequest, Revocation, RightsRequest, ScheduledEndorsement, SearchEndorsementsRequest, SearchEndorsementsResponse, SearchInsurancePoliciesRequest, SearchInsurancePoliciesResponse, SearchMembersRequest, SearchMembersResponse, SearchUsersRequest, SearchUsersResponse, SecretWebhookEndpoint, SetAccountProviderStatusRequest, SetAccountStatusRequest, SetAdministratorStatusRequest, SetConsentRulesRequest, SetConsultationStatusRequest, SetDepositLowBelowRequest, SetEndorsementStateRequest, SetInsurancePolicyEndRequest, SetInsurancePolicyMemberRequest, SetInsurancePolicyNomineeRequest, SetInsurancePolicyStatusRequest, SetNoticeRequest, SetPlatformStatusRequest, SetRightsRequestStateRequest, SetSponsorStatusRequest, SetUserReferenceRequest, SetWalletLimitsRequest, SetWebOriginsRequest, Sponsor, StateMachine, Statistics, TokenPair, UpdateAccountProviderRequest, UpdateBenefitProviderRequest, UpdateBenefitRequest, UpdateDependantRequest, UpdateSponsorRequest, UpdateUserRequest, UpdateWebhookEndpointRequest, User, UserExport, UserReference, VerifyOtpRequest, Wallet, WalletLimits, WalletStatus, WalletTransaction, WalletWithLimits, WebOrigins, WebhookDelivery, WebhookEndpoint, WebhookReplay } from './schemas.ts'

export class AdministratorsOperations extends Group {
  /**
   * Log in at the identity provider. For browsers: redirects to the identity provider (OpenID Connect,
   * authorization code with PKCE), which redirects back to `/v1/auth/oidc/callback`. A login must be completed
   * within ten minutes. It must begin on our own pages or in the address bar, not by a link from another site:
   * `Sec-Fetch-Site`, in which browsers report that, must be `same-origin`, `none` or absent. Returns 404 if
   * this installation has no identity provider.
   *
   * **Who may call:** anyone, without a token
   */
  beginLogin(query?: BeginLoginQuery, options?: ReadOptions): Promise<Redirect> {
    return this.connection.call(operations.beginLogin, { query }, options)
  }

  /**
   * Complete the login. For browsers: the identity provider redirects here. Starts a session in a cookie, which
   * ends after 8 hours, or 30 minutes without use, and redirects to the page given at login. Returns 400 if no
   * login was started in this browser or the response cannot be verified, 403 for people without a role and for
   * disabled administrators.
   *
   * **Who may call:** anyone, without a token
   */
  finishLogin(query?: FinishLoginQuery, options?: ReadOptions): Promise<Redirect> {
    return this.connection.call(operations.finishLogin, { query }, options)
  }

  /**
   * Read the current session. Returns the administrator of the session cookie, or of an access token issued
   * through it. Returns 404 for a token made on the command line.
   *
   * **Who may call:** viewer, operator, owner
   */
  readSession(options?: ReadOptions): Promise<CurrentSession> {
    return this.connection.call(operations.readSession, {}, options)
  }

  /**
   * Exchange the session for an access token. A person of a partner gets a token with the rights of the partner.
   * The token is valid for 15 minutes, but no longer than the session: logging out ends it within a second.
   * Accepts the session cookie only.
   *
   * **Who may call:** viewer, operator, owner
   */
  createSessionToken(options?: WriteOptions): Promise<CreateSessionTokenResponse> {
    return this.connection.call(operations.createSessionToken, {}, options)
  }

  /**
   * Log out. Ends the session of the cookie, and its access tokens within a second. To end the session at the
   * identity provider too, open `end_session_url` in the browser. Returns 200 even without a session.
   *
   * **Who may call:** anyone, without a token
   */
  logOut(body?: LogOutRequest, options?: WriteOptions): Promise<LogOutResponse> {
    return this.connection.call(operations.logOut, { body }, options)
  }

  /**
   * List administrators. Everyone who has ever logged in, newest first.
   *
   * **Who may call:** owner
   */
  list(query?: ListAdministratorsQuery, options?: ReadOptions): List<Administrator, ListAdministratorsResponse> {
    return this.connection.list(operations.listAdministrators, { query }, options)
  }

  /**
   * Disable or enable an administrator. DISABLED ends all sessions and access tokens of the administrator within
   * a second and prevents logins; after ACTIVE, the administrator can log in again. Administrators cannot
   * disable themselves.
   *
   * **Who may call:** owner
   */
  setStatus(administrator_id: AdministratorId, body: SetAdministratorStatusRequest, options?: WriteOptions): Promise<Administrator> {
    return this.connection.call(operations.setAdministratorStatus, { path: { administrator_id }, body }, options)
  }

  /**
   * List the sessions of an administrator. Active sessions, newest first.
   *
   * **Who may call:** owner
   */
  listSessions(administrator_id: AdministratorId, query?: ListAdministratorSessionsQuery, options?: ReadOptions): List<AdministratorSession, ListAdministratorSessionsResponse> {
    return this.connection.list(operations.listAdministratorSessions, { path: { administrator_id }, query }, options)
  }

  /**
   * End a session of an administrator. Its access tokens end within a second. Returns `ended: false` if there is
   * no such session.
   *
   * **Who may call:** owner
   */
  endSession(administrator_id: AdministratorId, session_id: SessionId, options?: WriteOptions): Promise<EndAdministratorSessionResponse> {
    return this.connection.call(operations.endAdministratorSession, { path: { administrator_id, session_id } }, options)
  }
}

export class PlatformsOperations extends Group {
  /**
   * List the credentials of a platform. Ids of the live credentials, newest first, without secrets.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  listCredentials(platform_id: PlatformId, options?: ReadOptions): Promise<CredentialList> {
    return this.connection.call(operations.listPlatformCredentials, { path: { platform_id } }, options)
  }

  /**
   * Create a credential for a platform. Only this response contains the `basic_token`. At most 20 credentials;
   * when all 20 are in use, an expired one is replaced. The body is optional and sets limits.
   *
   * **Who may call:** operator, owner
   */
  createCredential(platform_id: PlatformId, body?: CreatePlatformCredentialRequest, options?: WriteOptions): Promise<NewCredential> {
    return this.connection.call(operations.createPlatformCredential, { path: { platform_id }, body }, options)
  }

  /**
   * Read a credential of a platform. Returns its limits and its last use, without the secret.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  readCredential(platform_id: PlatformId, credential_id: CredentialId, options: ReadOptions & IfNoneMatch): Promise<Credential | NotModified>
  readCredential(platform_id: PlatformId, credential_id: CredentialId, options?: ReadOptions): Promise<Credential>
  readCredential(platform_id: PlatformId, credential_id: CredentialId, options?: ReadOptions): Promise<Credential> {
    return this.connection.call(operations.readPlatformCredential, { path: { platform_id, credential_id } }, options)
  }

  /**
   * Revoke a credential of a platform. Tokens issued through it stop working within a second. Returns `revoked:
   * false` when the credential does not exist. Repeated without `keep_user_tokens`, it ends the user tokens that
   * the first call kept.
   *
   * **Who may call:** operator, owner
   */
  revokeCredential(platform_id: PlatformId, credential_id: CredentialId, query?: RevokePlatformCredentialQuery, options?: WriteOptions & IfMatch): Promise<Revocation> {
    return this.connection.call(operations.revokePlatformCredential, { path: { platform_id, credential_id }, query }, options)
  }

  /**
   * Create a platform. Registers a partner company. A new platform is ACTIVE; create a credential for it next.
   *
   * **Who may call:** operator, owner
   */
  create(body: CreatePlatformRequest, options?: WriteOptions): Promise<Platform> {
    return this.connection.call(operations.createPlatform, { body }, options)
  }

  /**
   * List platforms. Newest first.
   *
   * **Who may call:** viewer, operator, owner
   */
  list(query?: ListPlatformsQuery, options?: ReadOptions): List<Platform, ListPlatformsResponse> {
    return this.connection.list(operations.listPlatforms, { query }, options)
  }

  /**
   * Read a platform. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** viewer, operator, owner
   */
  read(platform_id: PlatformId, options: ReadOptions & IfNoneMatch): Promise<Platform | NotModified>
  read(platform_id: PlatformId, options?: ReadOptions): Promise<Platform>
  read(platform_id: PlatformId, options?: ReadOptions): Promise<Platform> {
    return this.connection.call(operations.readPlatform, { path: { platform_id } }, options)
  }

  /**
   * Disable or enable a platform. Setting INACTIVE stops the platform and every token issued to it or its users
   * within a second.
   *
   * **Who may call:** operator, owner
   */
  setStatus(platform_id: PlatformId, body: SetPlatformStatusRequest, options?: WriteOptions & IfMatch): Promise<Platform> {
    return this.connection.call(operations.setPlatformStatus, { path: { platform_id }, body }, options)
  }

  /**
   * Read the web origins of a platform. Send the `ETag` as `If-None-Match` to read the record again only if it
   * has changed.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  readWebOrigins(platform_id: PlatformId, options: ReadOptions & IfNoneMatch): Promise<WebOrigins | NotModified>
  readWebOrigins(platform_id: PlatformId, options?: ReadOptions): Promise<WebOrigins>
  readWebOrigins(platform_id: PlatformId, options?: ReadOptions): Promise<WebOrigins> {
    return this.connection.call(operations.readWebOrigins, { path: { platform_id } }, options)
  }

  /**
   * Replace the web origins of a platform. Names the origins of the platform’s web apps: only their pages may
   * call with the tokens of its users, for a browser reads a response only where the service allows the origin
   * (CORS). Scheme, host and port, as in `https://app.example.com`; `http` for `localhost` only;
   * `capacitor://localhost` and `ionic://localhost` for apps that are made of web pages. An empty list allows
   * none. A change holds within five seconds.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  setWebOrigins(platform_id: PlatformId, body: SetWebOriginsRequest, options?: WriteOptions & IfMatch): Promise<WebOrigins> {
    return this.connection.call(operations.setWebOrigins, { path: { platform_id }, body }, options)
  }

  /**
   * Read the limits of a platform’s wallets. Send the `ETag` as `If-None-Match` to read the record again only if
   * it has changed.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  readWalletLimits(platform_id: PlatformId, options: ReadOptions & IfNoneMatch): Promise<WalletLimits | NotModified>
  readWalletLimits(platform_id: PlatformId, options?: ReadOptions): Promise<WalletLimits>
  readWalletLimits(platform_id: PlatformId, options?: ReadOptions): Promise<WalletLimits> {
    return this.connection.call(operations.readWalletLimits, { path: { platform_id } }, options)
  }

  /**
   * Replace the limits of a platform’s wallets. Limits, in paise, what a wallet may hold, and what may be
   * credited to it and debited from it in a month and in a financial year (from 1 April) of India. Each entry
   * holds from its day until that of the next; what it leaves out is not limited. A booking above a limit is 409
   * `conflict` `limit_reached`. Refunds (`refund_of`) are not limited and do not count. An empty list limits
   * nothing. A change holds within five seconds, one for a later day from that day’s first second.
   *
   * **Who may call:** operator, owner
   */
  setWalletLimits(platform_id: PlatformId, body: SetWalletLimitsRequest, options?: WriteOptions & IfMatch): Promise<WalletLimits> {
    return this.connection.call(operations.setWalletLimits, { path: { platform_id }, body }, options)
  }

  /**
   * Read the consent rules of a platform. Send the `ETag` as `If-None-Match` to read the record again only if it
   * has changed.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  readConsentRules(platform_id: PlatformId, options: ReadOptions & IfNoneMatch): Promise<ConsentRules | NotModified>
  readConsentRules(platform_id: PlatformId, options?: ReadOptions): Promise<ConsentRules>
  readConsentRules(platform_id: PlatformId, options?: ReadOptions): Promise<ConsentRules> {
    return this.connection.call(operations.readConsentRules, { path: { platform_id } }, options)
  }

  /**
   * Replace the consent rules of a platform. From the day of a rule on, what is new for its purpose is a 409
   * `consent_missing` without a consent; with the ground LEGITIMATE_USE it needs none. `insurance`: to enrol,
   * and to join a member; `children`: to register a dependant below 18; `care`: to open a consultation;
   * `wallet`: to create one; `accounts`: to open one, also by onboarding. A purpose without a rule is not
   * checked. A change holds within five seconds.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  setConsentRules(platform_id: PlatformId, body?: SetConsentRulesRequest, options?: WriteOptions & IfMatch): Promise<ConsentRules> {
    return this.connection.call(operations.setConsentRules, { path: { platform_id }, body }, options)
  }
}

export class BenefitProvidersOperations extends Group {
  /**
   * List the credentials of a benefit provider. Ids of the live credentials, newest first, without secrets.
   *
   * **Who may call:** benefit provider (own only), viewer, operator, owner
   */
  listCredentials(benefit_provider_id: BenefitProviderId, options?: ReadOptions): Promise<CredentialList> {
    return this.connection.call(operations.listBenefitProviderCredentials, { path: { benefit_provider_id } }, options)
  }

  /**
   * Create a credential for a benefit provider. Only this response contains the `basic_token`. At most 20
   * credentials; when all 20 are in use, an expired one is replaced. The body is optional and sets limits.
   *
   * **Who may call:** operator, owner
   */
  createCredential(benefit_provider_id: BenefitProviderId, body?: CreateBenefitProviderCredentialRequest, options?: WriteOptions): Promise<NewCredential> {
    return this.connection.call(operations.createBenefitProviderCredential, { path: { benefit_provider_id }, body }, options)
  }

  /**
   * Read a credential of a benefit provider. Returns its limits and its last use, without the secret.
   *
   * **Who may call:** benefit provider (own only), viewer, operator, owner
   */
  readCredential(benefit_provider_id: BenefitProviderId, credential_id: CredentialId, options: ReadOptions & IfNoneMatch): Promise<Credential | NotModified>
  readCredential(benefit_provider_id: BenefitProviderId, credential_id: CredentialId, options?: ReadOptions): Promise<Credential>
  readCredential(benefit_provider_id: BenefitProviderId, credential_id: CredentialId, options?: ReadOptions): Promise<Credential> {
    return this.connection.call(operations.readBenefitProviderCredential, { path: { benefit_provider_id, credential_id } }, options)
  }

  /**
   * Revoke a credential of a benefit provider. Tokens issued through it stop working within a second. Returns
   * `revoked: false` when the credential does not exist.
   *
   * **Who may call:** operator, owner
   */
  revokeCredential(benefit_provider_id: BenefitProviderId, credential_id: CredentialId, options?: WriteOptions & IfMatch): Promise<Revocation> {
    return this.connection.call(operations.revokeBenefitProviderCredential, { path: { benefit_provider_id, credential_id } }, options)
  }

  /**
   * Create a benefit provider. Registers an insurer or clinic network. `code` must be unique.
   *
   * **Who may call:** operator, owner
   */
  create(body: CreateBenefitProviderRequest, options?: WriteOptions): Promise<BenefitProvider> {
    return this.connection.call(operations.createBenefitProvider, { body }, options)
  }

  /**
   * List benefit providers. Newest first.
   *
   * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
   */
  list(query?: ListBenefitProvidersQuery, options?: ReadOptions): List<BenefitProvider, ListBenefitProvidersResponse> {
    return this.connection.list(operations.listBenefitProviders, { query }, options)
  }

  /**
   * Read a benefit provider. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
   */
  read(benefit_provider_id: BenefitProviderId, options: ReadOptions & IfNoneMatch): Promise<BenefitProvider | NotModified>
  read(benefit_provider_id: BenefitProviderId, options?: ReadOptions): Promise<BenefitProvider>
  read(benefit_provider_id: BenefitProviderId, options?: ReadOptions): Promise<BenefitProvider> {
    return this.connection.call(operations.readBenefitProvider, { path: { benefit_provider_id } }, options)
  }

  /**
   * Update a benefit provider. Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null`
   * removes it or `colour`. Documents show what was there when the policy was enrolled or issued.
   *
   * **Who may call:** operator, owner
   */
  update(benefit_provider_id: BenefitProviderId, body: UpdateBenefitProviderRequest, options?: WriteOptions & IfMatch): Promise<BenefitProvider> {
    return this.connection.call(operations.updateBenefitProvider, { path: { benefit_provider_id }, body }, options)
  }
}

export class CredentialsOperations extends Group {
  /**
   * Exchange a credential for an access token. OAuth 2.0 client credentials (RFC 6749, 4.4): HTTP Basic with the
   * `basic_token`. The token is valid for 60 minutes. A form has at most 100 fields.
   *
   * **Who may call:** holders of a valid credential
   */
  exchange(body: ExchangeCredentialRequest, options?: WriteOptions): Promise<AccessToken> {
    return this.connection.call(operations.exchangeCredential, { body }, options)
  }

  /**
   * Read the public keys. Keys to verify access tokens with (RFC 7517). During a rotation there are several.
   *
   * **Who may call:** anyone, without a token
   */
  readKeys(options?: ReadOptions): Promise<ReadKeysResponse> {
    return this.connection.call(operations.readKeys, {}, options)
  }

  /**
   * Read the authorization server metadata. Metadata of the authorization server (RFC 8414).
   *
   * **Who may call:** anyone, without a token
   */
  readAuthorizationServer(options?: ReadOptions): Promise<ReadAuthorizationServerResponse> {
    return this.connection.call(operations.readAuthorizationServer, {}, options)
  }
}

export class SponsorsOperations extends Group {
  /**
   * Create a sponsor. A new sponsor is PENDING until an administrator activates it.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  create(body: CreateSponsorRequest, options?: WriteOptions): Promise<Sponsor> {
    return this.connection.call(operations.createSponsor, { body }, options)
  }

  /**
   * List sponsors. Newest first. Platforms see only their own.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  list(query?: ListSponsorsQuery, options?: ReadOptions): List<Sponsor, ListSponsorsResponse> {
    return this.connection.list(operations.listSponsors, { query }, options)
  }

  /**
   * Read a sponsor. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  read(sponsor_id: SponsorId, options: ReadOptions & IfNoneMatch): Promise<Sponsor | NotModified>
  read(sponsor_id: SponsorId, options?: ReadOptions): Promise<Sponsor>
  read(sponsor_id: SponsorId, options?: ReadOptions): Promise<Sponsor> {
    return this.connection.call(operations.readSponsor, { path: { sponsor_id } }, options)
  }

  /**
   * Update a sponsor. Top-level JSON merge patch (RFC 7396); `address` and `sponsor_details` are replaced as a
   * whole. Changing `pan` or `sponsor_kind` puts an ACTIVE sponsor back to PENDING.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  update(sponsor_id: SponsorId, body: UpdateSponsorRequest, options?: WriteOptions & IfMatch): Promise<Sponsor> {
    return this.connection.call(operations.updateSponsor, { path: { sponsor_id }, body }, options)
  }

  /**
   * Set the status of a sponsor. Transitions: PENDING to ACTIVE or INACTIVE, ACTIVE to INACTIVE, INACTIVE to
   * ACTIVE.
   *
   * **Who may call:** operator, owner
   */
  setStatus(sponsor_id: SponsorId, body: SetSponsorStatusRequest, options?: WriteOptions & IfMatch): Promise<Sponsor> {
    return this.connection.call(operations.setSponsorStatus, { path: { sponsor_id }, body }, options)
  }

  /**
   * List the deposits of a sponsor. One for each benefit provider that it has paid in at. A benefit provider
   * sees its own.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  listDeposits(sponsor_id: SponsorId, query?: ListDepositsQuery, options?: ReadOptions): List<Deposit, ListDepositsResponse> {
    return this.connection.list(operations.listDeposits, { path: { sponsor_id }, query }, options)
  }

  /**
   * List the entries of a deposit. Newest first. Their sum is the balance. As CSV with `Accept: text/csv`: the
   * statement of the deposit.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  listDepositEntries(sponsor_id: SponsorId, benefit_provider_id: BenefitProviderId, query?: ListDepositEntriesQuery, options?: ReadOptions): List<DepositEntry, ListDepositEntriesResponse> {
    return this.connection.list(operations.listDepositEntries, { path: { sponsor_id, benefit_provider_id }, query }, options)
  }

  /**
   * Enter what a sponsor has paid in, or what was taken back. The benefit provider says what it has received:
   * TOP_UP, from `paid_on` on; or that money is gone, as of a cheque that was returned: REVERSAL, which may
   * leave the balance below zero and ends no policy. A benefit provider goes back 45 days by default, an
   * administrator further. `reference` is unique in the deposit: the same entry again returns the first with
   * 200, another one is 409 `different_content`.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  addDepositEntry(sponsor_id: SponsorId, benefit_provider_id: BenefitProviderId, body: AddDepositEntryRequest, options?: WriteOptions): Promise<DepositEntry> {
    return this.connection.call(operations.addDepositEntry, { path: { sponsor_id, benefit_provider_id }, body }, options)
  }

  /**
   * Set the balance below which a deposit is low. The event `deposit.low` is sent once each time the balance
   * falls below it. `null` sends none. A deposit can have one before anything was paid in.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  setDepositLowBelow(sponsor_id: SponsorId, benefit_provider_id: BenefitProviderId, body: SetDepositLowBelowRequest, options?: WriteOptions & IfMatch): Promise<Deposit> {
    return this.connection.call(operations.setDepositLowBelow, { path: { sponsor_id, benefit_provider_id }, body }, options)
  }
}

export class SponsorNamesOperations extends Group {
  /**
   * List the names of sponsors. Names alone, for those who show them alongside other records: no tax id, contact
   * or address. Newest first. Platforms see only their own. The audit has one entry for the list.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  list(query?: ListSponsorNamesQuery, options?: ReadOptions): List<ListedSponsor, ListSponsorNamesResponse> {
    return this.connection.list(operations.listSponsorNames, { query }, options)
  }
}

export class BenefitsOperations extends Group {
  /**
   * Create a benefit. Creates a benefit that a sponsor pays for and a benefit provider delivers, in one or more
   * plans.
   *
   * **Who may call:** operator, owner
   */
  create(body: CreateBenefitRequest, options?: WriteOptions): Promise<Benefit> {
    return this.connection.call(operations.createBenefit, { body }, options)
  }

  /**
   * List benefits. Newest first. Lists ACTIVE benefits unless `status` is given. Platforms and their users see
   * benefits of their sponsors, benefit providers their own.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  list(query?: ListBenefitsQuery, options?: ReadOptions): List<Benefit, ListBenefitsResponse> {
    return this.connection.list(operations.listBenefits, { query }, options)
  }

  /**
   * Read a benefit. Archived benefits stay readable.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  read(benefit_id: BenefitId, options: ReadOptions & IfNoneMatch): Promise<Benefit | NotModified>
  read(benefit_id: BenefitId, options?: ReadOptions): Promise<Benefit>
  read(benefit_id: BenefitId, options?: ReadOptions): Promise<Benefit> {
    return this.connection.call(operations.readBenefit, { path: { benefit_id } }, options)
  }

  /**
   * Update a benefit. Top-level JSON merge patch (RFC 7396); `plans` is replaced as a whole. Policies keep the
   * plan they were enrolled in.
   *
   * **Who may call:** operator, owner
   */
  update(benefit_id: BenefitId, body: UpdateBenefitRequest, options?: WriteOptions & IfMatch): Promise<Benefit> {
    return this.connection.call(operations.updateBenefit, { path: { benefit_id }, body }, options)
  }

  /**
   * Delete a benefit. Archives the benefit. Rejected while policies that are not EXPIRED or REJECTED use it.
   * Deleting it again returns the same response.
   *
   * **Who may call:** operator, owner
   */
  delete(benefit_id: BenefitId, options?: WriteOptions & IfMatch): Promise<DeleteBenefitResponse> {
    return this.connection.call(operations.deleteBenefit, { path: { benefit_id } }, options)
  }
}

export class UsersOperations extends Group {
  /**
   * Issue an app-user token. Finds the user of the calling platform by `id_proof.number`, else by phone, and
   * creates one if there is none. Until onboarding is complete, the fields sent update the user; afterwards only
   * a new phone number and a first id proof do. A `dob` or `gender` other than that of an onboarded user who is
   * found by phone is a 409, reason `different_person`.
   *
   * **Who may call:** platform
   */
  issueToken(body: IssueTokenRequest, options?: WriteOptions): Promise<IssuedUserToken> {
    return this.connection.call(operations.issueToken, { body }, options)
  }

  /**
   * List users. Newest first. Platforms see only their own. The CSV also has the `employee_number` of each.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  list(query?: ListUsersQuery, options?: ReadOptions): List<User, ListUsersResponse> {
    return this.connection.list(operations.listUsers, { query }, options)
  }

  /**
   * Search users. Searches by exactly one of: phone (dial code and number), `id_proof`, `external_policy_id`,
   * `employee_number`. Only exact matches are returned, newest first. The criteria are in the body so that URLs
   * contain no personal data; to follow a `Link`, send the same body again. Nothing is written: an
   * `Idempotency-Key` is neither needed nor stored.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  search(body?: SearchUsersRequest, query?: SearchUsersQuery, options?: WriteOptions): List<User, SearchUsersResponse> {
    return this.connection.list(operations.searchUsers, { query, body }, options)
  }
}

export class UserDependantsOperations extends GroupOfUser {
  /**
   * Create dependants in bulk. Creates all or none, and returns them in the order sent. Two entries with equal
   * names and date of birth are an error. A dependant that is already registered is a conflict, as is exceeding
   * the limit per user, 50 by default.
   *
   * **Who may call:** platform (own only), app user (own only), operator, owner
   */
  create(body: CreateDependantsRequest, options?: WriteOptions): Promise<CreateDependantsResponse> {
    return this.connection.call(operations.createDependants, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List dependants. Lists the current versions, newest first.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  list(query?: ListDependantsQuery, options?: ReadOptions): List<Dependant, ListDependantsResponse> {
    return this.connection.list(operations.listDependants, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Read a dependant. Superseded versions stay readable.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  read(dependant_id: DependantId, options: ReadOptions & IfNoneMatch): Promise<Dependant | NotModified>
  read(dependant_id: DependantId, options?: ReadOptions): Promise<Dependant>
  read(dependant_id: DependantId, options?: ReadOptions): Promise<Dependant> {
    return this.connection.call(operations.readDependant, { path: { user_id: this.userId, dependant_id } }, options)
  }

  /**
   * Correct a dependant. Creates a new version with a new id and `previous_version_id`. The previous version
   * leaves the list. A patch without changes creates none. A dependant has a limited number of versions, 100 by
   * default.
   *
   * **Who may call:** platform (own only), app user (own only), operator, owner
   */
  update(dependant_id: DependantId, body: UpdateDependantRequest, options?: WriteOptions & IfMatch): Promise<Dependant> {
    return this.connection.call(operations.updateDependant, { path: { user_id: this.userId, dependant_id }, body }, options)
  }
}

export class UserPoliciesOperations extends GroupOfUser {
  /**
   * Enrol a user in a plan. Creates a PENDING policy. Its first term is the plan’s, or ends on `end_date` where
   * that is earlier; later terms have the plan’s length and are counted from the day after it. It starts a year
   * ahead at most, and not so early that term and grace are over. Open policies of a user in the same plan never
   * overlap.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  enrol(body: EnrolInsurancePolicyRequest, options?: WriteOptions): Promise<InsurancePolicy> {
    return this.connection.call(operations.enrolInsurancePolicy, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List the insurance policies of a user. Newest first. `status` may be repeated. Benefit providers see only
   * policies of their own benefits.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  list(query?: ListInsurancePoliciesQuery, options?: ReadOptions): List<InsurancePolicy, ListInsurancePoliciesResponse> {
    return this.connection.list(operations.listInsurancePolicies, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Read an insurance policy. Send the `ETag` as `If-None-Match` to read the record again only if it has
   * changed.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  read(insurance_policy_id: PolicyId, options: ReadOptions & IfNoneMatch): Promise<InsurancePolicy | NotModified>
  read(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicy>
  read(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicy> {
    return this.connection.call(operations.readInsurancePolicy, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Read the status of an insurance policy. Returns the status, as the lists, the timeline and the events state
   * it, and the transitions this caller may make. A transition that is due by the calendar shows once it is
   * made, within seconds; transitions by people are judged as if it were. The ETag is the policy’s.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  readStatus(insurance_policy_id: PolicyId, options: ReadOptions & IfNoneMatch): Promise<InsurancePolicyStatus | NotModified>
  readStatus(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyStatus>
  readStatus(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyStatus> {
    return this.connection.call(operations.readInsurancePolicyStatus, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Set the status of an insurance policy. The state table decides which transitions are allowed. The provider’s
   * policy numbers and metadata may be sent along. A renewal keeps the id and moves the dates by the plan’s
   * term, counted from the first start. Days covered by another open policy of the plan are rejected, as is
   * issuing a policy whose term and grace are over. The first issue, a renewal and a return from EXPIRED need a
   * person with names and a date of birth, an ACTIVE sponsor and a benefit that is not archived. Only an owner
   * can take a policy out of EXPIRED, or open its renewal window early, and must give a reason. APPROVED and
   * ISSUED take `persons_version` where persons on the policy were corrected since its status was last set by a
   * benefit provider or an administrator. Sending the current status changes nothing, whatever else is sent.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  setStatus(insurance_policy_id: PolicyId, body: SetInsurancePolicyStatusRequest, options?: WriteOptions & IfMatch): Promise<InsurancePolicyStatus> {
    return this.connection.call(operations.setInsurancePolicyStatus, { path: { user_id: this.userId, insurance_policy_id }, body }, options)
  }

  /**
   * Read the end of an insurance policy. Returns the day on which a policy ends, or ended, before its term, why,
   * and what is to be paid back. The ETag is the policy’s.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  readEnd(insurance_policy_id: PolicyId, options: ReadOptions & IfNoneMatch): Promise<InsurancePolicyEnd | NotModified>
  readEnd(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyEnd>
  readEnd(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyEnd> {
    return this.connection.call(operations.readInsurancePolicyEnd, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Set the day on which an insurance policy ends. Of a policy that was issued. `on` is the last covered day.
   * Until then the status stays, and the record’s `end_date` is that day; there is no renewal window, no grace
   * and no renewal (409 `ending`). At 00:00 in India after it the policy is EXPIRED; by a day that is over, at
   * once. A day goes back 45 days by default; further back, within the term, a benefit provider or an
   * administrator goes with a reason, and before the term an owner. Sending another day moves the end. `amount`
   * is for benefit providers and administrators. The same again changes nothing.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  setEnd(insurance_policy_id: PolicyId, body: SetInsurancePolicyEndRequest, options?: WriteOptions & IfMatch): Promise<InsurancePolicyEnd> {
    return this.connection.call(operations.setInsurancePolicyEnd, { path: { user_id: this.userId, insurance_policy_id }, body }, options)
  }

  /**
   * Take back the end of an insurance policy. Until that day. The policy has its term again, with its renewal
   * window and grace. Where another policy of the plan covers the days after the end by now, it is a 409
   * `already_exists`. Of a policy without an end it changes nothing.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  withdrawEnd(insurance_policy_id: PolicyId, options?: WriteOptions & IfMatch): Promise<InsurancePolicyEnd> {
    return this.connection.call(operations.withdrawInsurancePolicyEnd, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Read who works on an insurance policy. Who has taken it up, and since when; lists across users have the
   * same, and filter by it with `assignee`.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  readAssignee(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyAssignee> {
    return this.connection.call(operations.readInsurancePolicyAssignee, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Assign an insurance policy. Says who works on a policy: you yourself, who have logged in, or the person in
   * `administrator_id`. A benefit provider assigns to its own people, an administrator to these and to
   * administrators. What somebody else has taken up is a 409 without `take_over`. It is no part of the policy,
   * whose version stays, and no event; the audit has it.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  assign(insurance_policy_id: PolicyId, body?: AssignInsurancePolicyRequest, options?: WriteOptions): Promise<InsurancePolicyAssignee> {
    return this.connection.call(operations.assignInsurancePolicy, { path: { user_id: this.userId, insurance_policy_id }, body }, options)
  }

  /**
   * Release an insurance policy. Nobody works on it any more. Colleagues can release what somebody absent has
   * taken up. Releasing what nobody has taken up changes nothing.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  release(insurance_policy_id: PolicyId, options?: WriteOptions): Promise<InsurancePolicyAssignee> {
    return this.connection.call(operations.releaseInsurancePolicy, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * List the timeline of an insurance policy. Newest first: status changes with caller and reason, issues,
   * uploaded and removed documents, corrections of the member and the dependants, and ends that were set and
   * taken back.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  listTimeline(insurance_policy_id: PolicyId, query?: ListInsurancePolicyTimelineQuery, options?: ReadOptions): List<InsurancePolicyTimelineEntry, ListInsurancePolicyTimelineResponse> {
    return this.connection.list(operations.listInsurancePolicyTimeline, { path: { user_id: this.userId, insurance_policy_id }, query }, options)
  }

  /**
   * List the terms of an insurance policy. The terms that the policy has covered, covers or will cover, the
   * first one first, with their issues, prices and members. The policy itself shows the newest, which begins
   * later than today where it was renewed early. Empty before the first issue.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  listTerms(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<ListInsurancePolicyTermsResponse> {
    return this.connection.call(operations.listInsurancePolicyTerms, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Set the nominee of an insurance policy. A dependant of the user, or `null` for nobody; it holds at once. An
   * issued policy has to be certified again: it gets an endorsement, and one that is ISSUED is
   * REQUIRES_POLICY_REISSUANCE.
   *
   * **Who may call:** platform (own only), app user (own only), operator, owner
   */
  setNominee(insurance_policy_id: PolicyId, body?: SetInsurancePolicyNomineeRequest, options?: WriteOptions & IfMatch): Promise<InsurancePolicy> {
    return this.connection.call(operations.setInsurancePolicyNominee, { path: { user_id: this.userId, insurance_policy_id }, body }, options)
  }

  /**
   * List who is on an insurance policy. The user and the dependants, with their first and last days: also those
   * who have left, and those that the benefit provider has not accepted yet. Before the first issue it is who is
   * asked for. The ETag is the policy’s.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  listMembers(insurance_policy_id: PolicyId, options: ReadOptions & IfNoneMatch): Promise<InsurancePolicyMembers | NotModified>
  listMembers(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyMembers>
  listMembers(insurance_policy_id: PolicyId, options?: ReadOptions): Promise<InsurancePolicyMembers> {
    return this.connection.call(operations.listInsurancePolicyMembers, { path: { user_id: this.userId, insurance_policy_id } }, options)
  }

  /**
   * Set from when to when a dependant is on an insurance policy. Before the first issue: who is asked for. On an
   * issued policy each day is an endorsement, and one that is ISSUED is REQUIRES_POLICY_REISSUANCE: a person who
   * joins is covered from `from` once the benefit provider accepts it; who leaves is not covered after `to`, at
   * once. A day goes back 45 days by default; further back, within the term, an administrator goes with a
   * reason, and before the term an owner. The same again changes nothing.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  setMember(insurance_policy_id: PolicyId, dependant_id: DependantId, body?: SetInsurancePolicyMemberRequest, options?: WriteOptions & IfMatch): Promise<InsurancePolicyMembers> {
    return this.connection.call(operations.setInsurancePolicyMember, { path: { user_id: this.userId, insurance_policy_id, dependant_id }, body }, options)
  }

  /**
   * Download a document of an insurance policy. Generated from the issue that holds today, else from the next;
   * an enrolment form from the enrolment. Returns a file that the benefit provider has uploaded instead, if
   * there is one, and 404 with a
   * detail until the document exists. Send the `ETag` as `If-None-Match` to check whether it has changed.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), operator, owner
   */
  downloadDocument(insurance_policy_id: PolicyId, document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate`, options: ReadOptions & { query?: DownloadDocumentQuery } & IfNoneMatch): Promise<DocumentStream | NotModified>
  downloadDocument(insurance_policy_id: PolicyId, document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate`, options?: ReadOptions & { query?: DownloadDocumentQuery }): Promise<DocumentStream>
  downloadDocument(insurance_policy_id: PolicyId, document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate`, options?: ReadOptions & { query?: DownloadDocumentQuery }): Promise<DocumentStream> {
    return this.connection.call(operations.downloadDocument, { path: { user_id: this.userId, insurance_policy_id, document_type }, query: options?.query }, options)
  }

  /**
   * Upload a document of an insurance policy. Replaces the generated document of the pending issue, else of the
   * last one; later issues have their
   * own documents. The file must be an intact PDF of at most 10 MiB, sent within 15 seconds. Returns 422 when it
   * is
   * encrypted, contains scripts or embedded files, exceeds 100 MiB when unpacked, or does anything but lead to
   * one of its pages
   * or, by a link, to an address that begins with `http://`, `https://`, `mailto:` or `tel:`.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  uploadDocument(insurance_policy_id: PolicyId, document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate`, body: Uint8Array | ArrayBuffer | Blob, options?: WriteOptions & IfMatch & { query?: UploadDocumentQuery }): Promise<InsurancePolicyDocument> {
    return this.connection.call(operations.uploadDocument, { path: { user_id: this.userId, insurance_policy_id, document_type }, query: options?.query, body }, options)
  }

  /**
   * Delete the upload of a document of an insurance policy. Deletes the upload for the pending issue, else for
   * the last one. The generated document is served
   * again. Returns the deleted upload, or 404 when there is none.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  deleteDocumentUpload(insurance_policy_id: PolicyId, document_type: `health_card/self` | `health_card/${string}` | `customer_information_sheet` | `enrollment_form` | `policy_certificate`, options?: WriteOptions & IfMatch & { query?: DeleteDocumentUploadQuery }): Promise<InsurancePolicyDocument> {
    return this.connection.call(operations.deleteDocumentUpload, { path: { user_id: this.userId, insurance_policy_id, document_type }, query: options?.query }, options)
  }

  /**
   * Download the health card of a member. Generated from the issue that holds today, else from the next. Returns
   * a file that the benefit provider has uploaded instead, if there is one, and 404 with a
   * detail until the document exists. Send the `ETag` as `If-None-Match` to check whether it has changed. The
   * code on a card opens a public page that shows whether the card is valid.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), operator, owner
   */
  downloadHealthCard(insurance_policy_id: PolicyId, member_id: 'self' | DependantId, options: ReadOptions & { query?: DownloadHealthCardQuery } & IfNoneMatch): Promise<DocumentStream | NotModified>
  downloadHealthCard(insurance_policy_id: PolicyId, member_id: 'self' | DependantId, options?: ReadOptions & { query?: DownloadHealthCardQuery }): Promise<DocumentStream>
  downloadHealthCard(insurance_policy_id: PolicyId, member_id: 'self' | DependantId, options?: ReadOptions & { query?: DownloadHealthCardQuery }): Promise<DocumentStream> {
    return this.connection.call(operations.downloadHealthCard, { path: { user_id: this.userId, insurance_policy_id, member_id }, query: options?.query }, options)
  }

  /**
   * Upload the health card of a member. Replaces the generated document of the pending issue, else of the last
   * one; later issues have their
   * own documents. The file must be an intact PDF of at most 10 MiB, sent within 15 seconds. Returns 422 when it
   * is
   * encrypted, contains scripts or embedded files, exceeds 100 MiB when unpacked, or does anything but lead to
   * one of its pages
   * or, by a link, to an address that begins with `http://`, `https://`, `mailto:` or `tel:`.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  uploadHealthCard(insurance_policy_id: PolicyId, member_id: 'self' | DependantId, body: Uint8Array | ArrayBuffer | Blob, options?: WriteOptions & IfMatch & { query?: UploadHealthCardQuery }): Promise<InsurancePolicyDocument> {
    return this.connection.call(operations.uploadHealthCard, { path: { user_id: this.userId, insurance_policy_id, member_id }, query: options?.query, body }, options)
  }

  /**
   * Delete the upload of the health card of a member. Deletes the upload for the pending issue, else for the
   * last one. The generated document is served
   * again. Returns the deleted upload, or 404 when there is none.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  deleteHealthCardUpload(insurance_policy_id: PolicyId, member_id: 'self' | DependantId, options?: WriteOptions & IfMatch & { query?: DeleteHealthCardUploadQuery }): Promise<InsurancePolicyDocument> {
    return this.connection.call(operations.deleteHealthCardUpload, { path: { user_id: this.userId, insurance_policy_id, member_id }, query: options?.query }, options)
  }
}

export class PoliciesOperations extends Group {
  /**
   * List the insurance policies of all users. Last change first, then by id; small entries without personal
   * data. Send `next` as `after`, with the same filters, until it is `null`. What does not change while you page
   * is listed exactly once. What changes moves to the front: you can meet it twice, or miss it on the later
   * pages, and find it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A benefit
   * provider finds the policies of its benefits, a platform those of its users. With `order=oldest` those that
   * wait longest come first, by `status_since`: only policies in a state in which somebody has to act, so not
   * those that are ISSUED, EXPIRED or REJECTED.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  list(query?: ListAllInsurancePoliciesQuery, options?: ReadOptions): List<ListedInsurancePolicy, ListAllInsurancePoliciesResponse> {
    return this.connection.list(operations.listAllInsurancePolicies, { query }, options)
  }

  /**
   * Search insurance policies by number. Searches by exactly one of `external_policy_id`, the benefit provider’s
   * number of the policy, `master_policy_number`, that of a group, and `policy_number`, what card and
   * certificate print: the benefit provider’s number or our reference, such as `YSZX-X6GZ-GVV0`, in capitals or
   * not, with hyphens or blanks or without; or the id. Only exact matches, last change first. What is retained
   * of the policies of erased users is found by who would have found them before, with its law and last day in
   * `retained`; the policy itself is a 404. The number is in the body so that URLs contain none; to continue,
   * send the same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed
   * nor stored.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  search(body?: SearchInsurancePoliciesRequest, query?: SearchInsurancePoliciesQuery, options?: WriteOptions): List<FoundInsurancePolicy, SearchInsurancePoliciesResponse> {
    return this.connection.list(operations.searchInsurancePolicies, { query, body }, options)
  }

  /**
   * List who can work on insurance policies. Those active people who can be assigned to a policy by the caller,
   * newest first. A benefit provider finds its own people, an administrator all administrators and, with
   * `benefit_provider_id`, the people of that benefit provider, too.
   *
   * **Who may call:** benefit provider (own only), operator, owner
   */
  listAssignees(query?: ListInsurancePolicyAssigneesQuery, options?: ReadOptions): List<PossibleAssignee, ListInsurancePolicyAssigneesResponse> {
    return this.connection.list(operations.listInsurancePolicyAssignees, { query }, options)
  }
}

export class UserCoverageOperations extends GroupOfUser {
  /**
   * Read who is covered on a day. For the user and each dependant, and each of their policies, whether it covers
   * the person on a day, past or future, and why not. It is said from what is stored now: a renewal holds for
   * the days of grace before it, and of a future day as if nothing more happened. A join that the benefit
   * provider has not accepted covers nobody, a rejected application neither (`expired`). It speaks of cover, not
   * of claims: waiting periods, exclusions and sums are the benefit provider’s. A benefit provider gets its own
   * policies, and who is on them. No name is shown.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  read(query?: ReadCoverageQuery, options?: ReadOptions): Promise<Coverage> {
    return this.connection.call(operations.readCoverage, { path: { user_id: this.userId }, query }, options)
  }
}

export class MembersOperations extends Group {
  /**
   * Search the members of a group policy. The member file of a master policy on a day, past or future: its
   * issued policies, last change first, each with the people it covers on that day, from what is stored now. The
   * CSV has a row for each person, in the order of the policies. To continue, send the same body again with
   * `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  search(body: SearchMembersRequest, query?: SearchMembersQuery, options?: WriteOptions): List<GroupPolicy, SearchMembersResponse> {
    return this.connection.list(operations.searchMembers, { query, body }, options)
  }
}

export class UserNextActionsOperations extends GroupOfUser {
  /**
   * List the next actions of a user. What must be done next of the user’s policies, endorsements, accounts,
   * wallet, consultations, consents and rights requests, who is waited for, and until when: derived from what is
   * stored now, the earliest `due_on` first, those without one last. Rights that run out, of which nobody is
   * waited for, are among them: `return_policy` and `cancel_erasure`. Consultations are shown to those who may
   * list them.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  list(options?: ReadOptions): Promise<ListUserNextActionsResponse> {
    return this.connection.call(operations.listUserNextActions, { path: { user_id: this.userId } }, options)
  }
}

export class NextActionsOperations extends Group {
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
  list(query?: ListNextActionsQuery, options?: ReadOptions): List<NextAction, ListNextActionsResponse> {
    return this.connection.list(operations.listNextActions, { query }, options)
  }
}

export class EndorsementsOperations extends Group {
  /**
   * List the endorsements of all users. Last change first, then by id; small entries without personal data. Send
   * `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed
   * exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and
   * find it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A benefit provider finds
   * those of its policies, a platform those of its users. With `due_before` those that wait, by the day on which
   * they are due.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  list(query?: ListEndorsementsQuery, options?: ReadOptions): List<ListedEndorsement, ListEndorsementsResponse> {
    return this.connection.list(operations.listEndorsements, { query }, options)
  }

  /**
   * Search the endorsements of a group policy. The schedule of a master policy: its endorsements with a first
   * day between `from` and `to`, both included, in every state, last change first. A nominee is named too; an
   * END is of nobody. To continue, send the same body again with `next` as `after`. Nothing is written: an
   * `Idempotency-Key` is neither needed nor stored.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  search(body: SearchEndorsementsRequest, query?: SearchEndorsementsQuery, options?: WriteOptions): List<ScheduledEndorsement, SearchEndorsementsResponse> {
    return this.connection.list(operations.searchEndorsements, { query, body }, options)
  }

  /**
   * Read an endorsement. With the reason of its decision.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
   * owner
   */
  read(endorsement_id: EndorsementId, options: ReadOptions & IfNoneMatch): Promise<Endorsement | NotModified>
  read(endorsement_id: EndorsementId, options?: ReadOptions): Promise<Endorsement>
  read(endorsement_id: EndorsementId, options?: ReadOptions): Promise<Endorsement> {
    return this.connection.call(operations.readEndorsement, { path: { endorsement_id } }, options)
  }

  /**
   * Accept, refuse or take back an endorsement. The decision on the last pending one of a policy makes the next
   * issue of the term that runs, and of the next term if that is issued already, unless all were refused or
   * withdrawn; no date moves. A policy in REQUIRES_POLICY_REISSUANCE is ISSUED with it. Once it is refused, the
   * person stays corrected, and the last issue in force. Issuing the policy accepts all at once. `amount` is
   * what you charge, of a LEAVE or an END what you pay back: the deposit takes or gets it where the plan has a
   * `premium_gate`, else it is for information. A platform takes back with WITHDRAWN who it asked to join or
   * leave, and an end before its day.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  setState(endorsement_id: EndorsementId, body: SetEndorsementStateRequest, options?: WriteOptions & IfMatch): Promise<Endorsement> {
    return this.connection.call(operations.setEndorsementState, { path: { endorsement_id }, body }, options)
  }
}

export class UserAccountsOperations extends GroupOfUser {
  /**
   * Open an account. Requests an account of this type from the account provider, fed by the bank account given
   * at onboarding. It is PENDING until the provider confirms it, then ACTIVE. A user can have one account of
   * each type.
   *
   * **Who may call:** platform (own only), app user (own only)
   */
  create(body: CreateAccountRequest, options?: WriteOptions): Promise<Account> {
    return this.connection.call(operations.createAccount, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List the accounts of a user. Newest first. `status` and `account_type` may be repeated.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  list(query?: ListAccountsQuery, options?: ReadOptions): List<Account, ListAccountsResponse> {
    return this.connection.list(operations.listAccounts, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Read an account. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  read(account_id: AccountId, options: ReadOptions & IfNoneMatch): Promise<Account | NotModified>
  read(account_id: AccountId, options?: ReadOptions): Promise<Account>
  read(account_id: AccountId, options?: ReadOptions): Promise<Account> {
    return this.connection.call(operations.readAccount, { path: { user_id: this.userId, account_id } }, options)
  }

  /**
   * Read the status of an account. Returns the current status and the transitions this caller may make. The ETag
   * is the account’s.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  readStatus(account_id: AccountId, options: ReadOptions & IfNoneMatch): Promise<AccountStatus | NotModified>
  readStatus(account_id: AccountId, options?: ReadOptions): Promise<AccountStatus>
  readStatus(account_id: AccountId, options?: ReadOptions): Promise<AccountStatus> {
    return this.connection.call(operations.readAccountStatus, { path: { user_id: this.userId, account_id } }, options)
  }

  /**
   * Set the status of an account. Transitions: ACTIVE to INACTIVE and back, PENDING to INACTIVE. Only the
   * account provider can turn PENDING into ACTIVE.
   *
   * **Who may call:** operator, owner
   */
  setStatus(account_id: AccountId, body: SetAccountStatusRequest, options?: WriteOptions & IfMatch): Promise<AccountStatus> {
    return this.connection.call(operations.setAccountStatus, { path: { user_id: this.userId, account_id }, body }, options)
  }
}

export class AccountsOperations extends Group {
  /**
   * List the accounts of all users. Last change first, then by id; small entries without personal data. Send
   * `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed
   * exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and
   * find it again with `changed_after`. There is no total; `GET /v1/statistics` counts. Every change is a
   * transition, so `last_modified_at` is the time since which an account has its status.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  list(query?: ListAllAccountsQuery, options?: ReadOptions): List<ListedAccount, ListAllAccountsResponse> {
    return this.connection.list(operations.listAllAccounts, { query }, options)
  }
}

export class AccountProvidersOperations extends Group {
  /**
   * Create an account provider. A new account provider is `active`.
   *
   * **Who may call:** administrator key
   */
  create(body: CreateAccountProviderRequest, options?: WriteOptions): Promise<AccountProvider> {
    return this.connection.call(operations.createAccountProvider, { body }, options)
  }

  /**
   * List account providers. Newest first.
   *
   * **Who may call:** administrator key
   */
  list(query?: ListAccountProvidersQuery, options?: ReadOptions): List<AccountProvider, ListAccountProvidersResponse> {
    return this.connection.list(operations.listAccountProviders, { query }, options)
  }

  /**
   * Read an account provider. Send the `ETag` as `If-None-Match` to read the record again only if it has
   * changed.
   *
   * **Who may call:** administrator key
   */
  read(account_provider_id: AccountProviderId, options: ReadOptions & IfNoneMatch): Promise<AccountProvider | NotModified>
  read(account_provider_id: AccountProviderId, options?: ReadOptions): Promise<AccountProvider>
  read(account_provider_id: AccountProviderId, options?: ReadOptions): Promise<AccountProvider> {
    return this.connection.call(operations.readAccountProvider, { path: { account_provider_id } }, options)
  }

  /**
   * Rename an account provider. Requires the administrator key, not a bearer token.
   *
   * **Who may call:** administrator key
   */
  update(account_provider_id: AccountProviderId, body: UpdateAccountProviderRequest, options?: WriteOptions & IfMatch): Promise<AccountProvider> {
    return this.connection.call(operations.updateAccountProvider, { path: { account_provider_id }, body }, options)
  }

  /**
   * Set the status of an account provider. Transitions: `active` to `inactive` and back. New accounts are opened
   * with the oldest active provider; existing accounts stay where they are.
   *
   * **Who may call:** administrator key
   */
  setStatus(account_provider_id: AccountProviderId, body: SetAccountProviderStatusRequest, options?: WriteOptions & IfMatch): Promise<AccountProvider> {
    return this.connection.call(operations.setAccountProviderStatus, { path: { account_provider_id }, body }, options)
  }
}

export class UserConsultationsOperations extends GroupOfUser {
  /**
   * Open a consultation. A new consultation is OPEN. Benefit providers may open only their own, with users they
   * insure or treat. A user can have a limited number of open consultations, 20 by default, and of new ones a
   * day, 50 by default.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only)
   */
  create(body: CreateConsultationRequest, options?: WriteOptions): Promise<Consultation> {
    return this.connection.call(operations.createConsultation, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List the consultations of a user. Newest first.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), owner
   */
  list(query?: ListConsultationsQuery, options?: ReadOptions): List<Consultation, ListConsultationsResponse> {
    return this.connection.list(operations.listConsultations, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Read a consultation. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), owner
   */
  read(consultation_id: ConsultationId, options: ReadOptions & IfNoneMatch): Promise<Consultation | NotModified>
  read(consultation_id: ConsultationId, options?: ReadOptions): Promise<Consultation>
  read(consultation_id: ConsultationId, options?: ReadOptions): Promise<Consultation> {
    return this.connection.call(operations.readConsultation, { path: { user_id: this.userId, consultation_id } }, options)
  }

  /**
   * Close a consultation. Transition: OPEN to CLOSED. A closed consultation accepts no messages.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only)
   */
  setStatus(consultation_id: ConsultationId, body: SetConsultationStatusRequest, options?: WriteOptions & IfMatch): Promise<Consultation> {
    return this.connection.call(operations.setConsultationStatus, { path: { user_id: this.userId, consultation_id }, body }, options)
  }

  /**
   * Write a message. The message shows the name of the user, platform or benefit provider that writes it. A user
   * can write a limited number of messages a day, 500 by default.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only)
   */
  createMessage(consultation_id: ConsultationId, body: CreateMessageRequest, options?: WriteOptions): Promise<Message> {
    return this.connection.call(operations.createMessage, { path: { user_id: this.userId, consultation_id }, body }, options)
  }

  /**
   * List the messages of a consultation. Oldest first. Messages are health data: of the administrators, only
   * owners can read them.
   *
   * **Who may call:** platform (own only), app user (own only), benefit provider (own only), owner
   */
  listMessages(consultation_id: ConsultationId, query?: ListMessagesQuery, options?: ReadOptions): List<Message, ListMessagesResponse> {
    return this.connection.list(operations.listMessages, { path: { user_id: this.userId, consultation_id }, query }, options)
  }
}

export class ConsultationsOperations extends Group {
  /**
   * List the consultations of all users. Last change first, then by id; small entries without personal data.
   * Send `next` as `after`, with the same filters, until it is `null`. What does not change while you page is
   * listed exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages,
   * and find it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A message is a
   * change, too. A benefit provider finds its own, a platform those of its users.
   *
   * **Who may call:** platform (own only), benefit provider (own only), owner
   */
  list(query?: ListAllConsultationsQuery, options?: ReadOptions): List<ListedConsultation, ListAllConsultationsResponse> {
    return this.connection.list(operations.listAllConsultations, { query }, options)
  }
}

export class WalletsOperations extends Group {
  /**
   * List the wallets of all users. Last change first, then by id; small entries without personal data. Send
   * `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed
   * exactly once. What changes moves to the front: you can meet it twice, or miss it on the later pages, and
   * find it again with `changed_after`. There is no total; `GET /v1/statistics` counts. A booking is a change,
   * too.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  list(query?: ListAllWalletsQuery, options?: ReadOptions): List<ListedWallet, ListAllWalletsResponse> {
    return this.connection.list(operations.listAllWallets, { query }, options)
  }

  /**
   * Provision many wallets again. Sets FAILED wallets back to PENDING, each as `POST
   * /v1/users/{user_id}/wallet/retry` does: those of `user_ids`, those of a platform, or those of all, the
   * longest FAILED first. At most 100 at once; the others stay as they are.
   *
   * **Who may call:** operator, owner
   */
  retry(body?: RetryWalletsRequest, options?: WriteOptions): Promise<RetriedWallets> {
    return this.connection.call(operations.retryWallets, { body }, options)
  }
}

export class UserWalletOperations extends GroupOfUser {
  /**
   * Read the wallet of a user. Returns the wallet with its balance, for platforms that credit it, or 404 until
   * the user has created it with `POST /wallet/v1/wallet`.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  read(options: ReadOptions & IfNoneMatch): Promise<WalletWithLimits | NotModified>
  read(options?: ReadOptions): Promise<WalletWithLimits>
  read(options?: ReadOptions): Promise<WalletWithLimits> {
    return this.connection.call(operations.readUserWallet, { path: { user_id: this.userId } }, options)
  }

  /**
   * Ask the operator for the status of a wallet. Asks the operator now, and stores its status where it differs
   * from what its events reported. Every wallet is asked for within a day anyway. 503 when the operator gives no
   * definite response.
   *
   * **Who may call:** operator, owner
   */
  refresh(options?: WriteOptions): Promise<Wallet> {
    return this.connection.call(operations.refreshWallet, { path: { user_id: this.userId } }, options)
  }

  /**
   * Provision a wallet again. Sets a FAILED wallet back to PENDING and provisions it again, with the same wallet
   * id.
   *
   * **Who may call:** operator, owner
   */
  retry(options?: WriteOptions): Promise<Wallet> {
    return this.connection.call(operations.retryWallet, { path: { user_id: this.userId } }, options)
  }

  /**
   * Credit a wallet. Adds paise to the wallet, booked against the platform’s own account, which has no limit:
   * what stands behind it is between the platform and the wallet operator. Returns 404 until the user has
   * created the wallet with `POST /wallet/v1/wallet`.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  credit(amount: Money, body: Omit<CreditWalletRequest, 'amount'>, options?: WriteOptions): Promise<WalletTransaction> {
    return this.connection.call(operations.creditWallet, { path: { user_id: this.userId }, body: { ...body, amount } }, options)
  }

  /**
   * Debit a wallet. Takes paise from the wallet, booked to the platform’s own account. Rejected when the balance
   * is too low or the wallet is blocked. Returns 404 until the user has created the wallet with `POST
   * /wallet/v1/wallet`.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  debit(amount: Money, body: Omit<DebitWalletRequest, 'amount'>, options?: WriteOptions): Promise<WalletTransaction> {
    return this.connection.call(operations.debitWallet, { path: { user_id: this.userId }, body: { ...body, amount } }, options)
  }

  /**
   * List the transactions of a user’s wallet. Newest first. Returns 404 until the user has created the wallet
   * with `POST /wallet/v1/wallet`.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  listTransactions(query?: ListUserWalletTransactionsQuery, options?: ReadOptions): List<WalletTransaction, ListUserWalletTransactionsResponse> {
    return this.connection.list(operations.listUserWalletTransactions, { path: { user_id: this.userId }, query }, options)
  }
}

export class UserOneTimeCodesOperations extends GroupOfUser {
  /**
   * List the one-time codes of a user. What became of the requests of the last 24 hours, newest first, to help
   * somebody who cannot sign in; never a code. Of refused requests, only the last one for the phone, if it was
   * made at the user's platform.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  list(query?: ListOneTimeCodesQuery, options?: ReadOptions): List<OneTimeCode, ListOneTimeCodesResponse> {
    return this.connection.list(operations.listOneTimeCodes, { path: { user_id: this.userId }, query }, options)
  }
}

export class EventsOperations extends Group {
  /**
   * List events. The events of the last 30 days, oldest first, or newest first with `order=desc`. A platform
   * gets its own events; a benefit provider those of its policies, their documents, its consultations, benefits,
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
  list(query?: ListEventsQuery, options?: ReadOptions): List<Event, ListEventsResponse> {
    return this.connection.list(operations.listEvents, { query }, options)
  }
}

export class AuditLogOperations extends Group {
  /**
   * List the audit log. Changes, reads of sealed personal data, revocations, and administrator tokens made on
   * the command line; oldest first, or newest first with `order=desc`. Send `next` as `after`, with the same
   * `order` and filters, to continue. With a filter, a page can be short or empty although `has_more` is true.
   * Owners read all of it, everybody else what they have done themselves, which is `actor=me`.
   *
   * **Who may call:** viewer (own only), operator (own only), owner
   */
  list(query?: ListAuditLogQuery, options?: ReadOptions): List<AuditEntry, ListAuditLogResponse> {
    return this.connection.list(operations.listAuditLog, { query }, options)
  }
}

export class ExposureOperations extends Group {
  /**
   * List what a credential has read or changed. After a credential was stolen: the persons whose data was read
   * or changed with it, also through tokens of users that were issued with it, each operation on each person
   * once, in the order in which that began. Owners see every credential and session, a platform its own
   * credentials, revoked ones too. Entries of the audit name the credential since version 0.3.0. Send `next` as
   * `after` to continue; a page can be short or empty although `has_more` is true.
   *
   * **Who may call:** platform (own only), owner
   */
  list(query: ListExposureQuery, options?: ReadOptions): List<Exposure, ListExposureResponse> {
    return this.connection.list(operations.listExposure, { query }, options)
  }
}

export class StatisticsOperations extends Group {
  /**
   * Count by state. How many policies, endorsements, accounts, wallets and users there are in each state, how
   * many events and webhook deliveries wait, and how many events there were in each hour of the last day. A
   * worker counts twice a minute; `as_of` is the time of counting. A platform gets its own counts, a benefit
   * provider those of its policies, endorsements, consultations and webhook deliveries: the others are 0.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  read(query?: ReadStatisticsQuery, options?: ReadOptions): Promise<Statistics> {
    return this.connection.call(operations.readStatistics, { query }, options)
  }
}

export class MetaOperations extends Group {
  /**
   * List state machines. Every kind of record with states: its states, the transitions between them, who may
   * make each, which of them the calendar makes, and the event. Read from the tables that guard the records.
   *
   * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
   */
  listStateMachines(options?: ReadOptions): Promise<ListStateMachinesResponse> {
    return this.connection.call(operations.listStateMachines, {}, options)
  }

  /**
   * Read a state machine. The states of one kind of record, as in the list.
   *
   * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
   */
  readStateMachine(state_machine_name: string, options?: ReadOptions): Promise<StateMachine> {
    return this.connection.call(operations.readStateMachine, { path: { state_machine_name } }, options)
  }

  /**
   * List permissions. Every operation with the kinds of callers that may call it, and whether each reaches
   * records of its own only. Read from the table that guards the operations; a page draws it at
   * [/docs/permissions](/docs/permissions).
   *
   * **Who may call:** platform, app user, benefit provider, viewer, operator, owner
   */
  listPermissions(options?: ReadOptions): Promise<ListPermissionsResponse> {
    return this.connection.call(operations.listPermissions, {}, options)
  }
}

export class WebhookEndpointsOperations extends Group {
  /**
   * Create a webhook endpoint. New events are posted to the URL, signed according to Standard Webhooks with the
   * `secret` in this response. At most 20 endpoints.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
   */
  create(body: CreateWebhookEndpointRequest, options?: WriteOptions): Promise<SecretWebhookEndpoint> {
    return this.connection.call(operations.createWebhookEndpoint, { body }, options)
  }

  /**
   * List webhook endpoints. Newest first, without secrets. Administrators share theirs; operators and owners
   * read those of a partner with `owner`, and with `failing=true` those of all partners that fail.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer (own only), operator, owner
   */
  list(query?: ListWebhookEndpointsQuery, options?: ReadOptions): List<ListedWebhookEndpoint, ListWebhookEndpointsResponse> {
    return this.connection.list(operations.listWebhookEndpoints, { query }, options)
  }

  /**
   * Read a webhook endpoint. The secret is not returned.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer (own only), operator, owner
   */
  read(webhook_endpoint_id: WebhookEndpointId, options: ReadOptions & IfNoneMatch): Promise<WebhookEndpoint | NotModified>
  read(webhook_endpoint_id: WebhookEndpointId, options?: ReadOptions): Promise<WebhookEndpoint>
  read(webhook_endpoint_id: WebhookEndpointId, options?: ReadOptions): Promise<WebhookEndpoint> {
    return this.connection.call(operations.readWebhookEndpoint, { path: { webhook_endpoint_id } }, options)
  }

  /**
   * Update a webhook endpoint. Top-level JSON merge patch (RFC 7396). `DISABLED` stops deliveries; `ACTIVE`
   * resumes pending ones. Events that happened while it was disabled are sent only by a replay.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
   */
  update(webhook_endpoint_id: WebhookEndpointId, body: UpdateWebhookEndpointRequest, options?: WriteOptions & IfMatch): Promise<WebhookEndpoint> {
    return this.connection.call(operations.updateWebhookEndpoint, { path: { webhook_endpoint_id }, body }, options)
  }

  /**
   * Delete a webhook endpoint. Stops deliveries and deletes their log.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
   */
  delete(webhook_endpoint_id: WebhookEndpointId, options?: WriteOptions & IfMatch): Promise<DeleteWebhookEndpointResponse> {
    return this.connection.call(operations.deleteWebhookEndpoint, { path: { webhook_endpoint_id } }, options)
  }

  /**
   * Rotate the secret of a webhook endpoint. For 24 hours deliveries are signed with both the new and the
   * previous secret, then with the new one only.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
   */
  rotateSecret(webhook_endpoint_id: WebhookEndpointId, options?: WriteOptions): Promise<SecretWebhookEndpoint> {
    return this.connection.call(operations.rotateWebhookSecret, { path: { webhook_endpoint_id } }, options)
  }

  /**
   * Send a test event to a webhook endpoint. Queues a `webhook_endpoint.tested` event for this endpoint only,
   * whatever its `event_types`.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own only)
   */
  test(webhook_endpoint_id: WebhookEndpointId, options?: WriteOptions): Promise<WebhookDelivery> {
    return this.connection.call(operations.testWebhookEndpoint, { path: { webhook_endpoint_id } }, options)
  }

  /**
   * List the deliveries of a webhook endpoint. Deliveries of the last 30 days with their attempts, newest event
   * first.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer (own only), operator, owner
   */
  listDeliveries(webhook_endpoint_id: WebhookEndpointId, query?: ListWebhookDeliveriesQuery, options?: ReadOptions): List<WebhookDelivery, ListWebhookDeliveriesResponse> {
    return this.connection.list(operations.listWebhookDeliveries, { path: { webhook_endpoint_id }, query }, options)
  }

  /**
   * Replay a delivery. Queues the delivery again, with ten new attempts. The event keeps its id.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  replayDelivery(webhook_endpoint_id: WebhookEndpointId, delivery_id: DeliveryId, options?: WriteOptions): Promise<WebhookDelivery> {
    return this.connection.call(operations.replayWebhookDelivery, { path: { webhook_endpoint_id, delivery_id } }, options)
  }

  /**
   * Replay events of a time range. Queues every event of the time range that matches the `event_types` of the
   * endpoint, including events already delivered and those missed while it was disabled; with `status` `FAILED`
   * only those whose delivery has failed. With `dry_run` nothing is queued, and `queued` says how many would be.
   * Events are kept for 30 days; at most 10,000 can be replayed at once.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  replayEvents(webhook_endpoint_id: WebhookEndpointId, body: ReplayWebhookEventsRequest, options?: WriteOptions): Promise<WebhookReplay> {
    return this.connection.call(operations.replayWebhookEvents, { path: { webhook_endpoint_id }, body }, options)
  }
}

export class ImportsOperations extends Group {
  /**
   * Import a list in one file. Takes a list in one file, as CSV or as JSON Lines in UTF-8: up to 100,000 rows
   * and 64 MiB, sent within 15 seconds. [/docs/partners/imports](/docs/partners/imports) has the columns.
   *
   * Every row is checked with the checks of the single calls; then the rows without an error are written one by
   * one, as the single calls would. `check_only` ends after the
   * check. The response comes when the file has arrived; the import itself goes on, and `GET
   * /v1/imports/{import_id}` says how far it is.
   *
   * The same file again is the same import, a 200: it goes on where it stopped, rows with errors are tried
   * again, and what is done is not done twice. So there is
   * no `Idempotency-Key`.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  create(body: Uint8Array | ArrayBuffer | Blob, query: CreateImportQuery, options?: WriteOptions): Promise<Import> {
    return this.connection.call(operations.createImport, { query, body }, options)
  }

  /**
   * Read an import. How far it is, and what became of its rows. It is kept for 30 days after its last change.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  read(import_id: ImportId, options: ReadOptions & IfNoneMatch): Promise<Import | NotModified>
  read(import_id: ImportId, options?: ReadOptions): Promise<Import>
  read(import_id: ImportId, options?: ReadOptions): Promise<Import> {
    return this.connection.call(operations.readImport, { path: { import_id } }, options)
  }

  /**
   * List the rows of an import. The report, in the order of the file: an entry for each row that is done, and
   * one for each error of the others. It names row, column and ids, and never repeats what the file says.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  listRows(import_id: ImportId, query?: ListImportRowsQuery, options?: ReadOptions): List<ImportRow, ListImportRowsResponse> {
    return this.connection.list(operations.listImportRows, { path: { import_id }, query }, options)
  }
}

export class ComparisonsOperations extends Group {
  /**
   * Compare a file with what is stored. Takes a file of a benefit provider or its administrator (TPA), as CSV in
   * UTF-8: up to 100,000 rows and 64 MiB. `members` is the member file of one group policy; the columns are
   * those of `POST /v1/members/search`. `deposit` is the statement of a deposit; the columns are those of `GET
   * /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries`, or the usual ones of a statement. The
   * file of either compares without a difference. The response comes when all is compared, with the number of
   * differences of each kind; `GET /v1/comparisons/{comparison_id}/differences` lists them. Nothing else is
   * changed. The same file has the same response as long as nothing has changed here.
   * [/docs/partners/comparing](/docs/partners/comparing) has the columns.
   *
   * **Who may call:** platform (own only), benefit provider (own only), operator, owner
   */
  create(body: Uint8Array | ArrayBuffer | Blob, query: CreateComparisonQuery, options?: WriteOptions): Promise<Comparison> {
    return this.connection.call(operations.createComparison, { query, body }, options)
  }

  /**
   * Read a comparison. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  read(comparison_id: ComparisonId, options: ReadOptions & IfNoneMatch): Promise<Comparison | NotModified>
  read(comparison_id: ComparisonId, options?: ReadOptions): Promise<Comparison>
  read(comparison_id: ComparisonId, options?: ReadOptions): Promise<Comparison> {
    return this.connection.call(operations.readComparison, { path: { comparison_id } }, options)
  }

  /**
   * List the differences of a comparison. In the order of the file, then who is covered and has no row, or which
   * entry has none. It names rows, columns and ids, and never repeats what the file says.
   *
   * **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner
   */
  listDifferences(comparison_id: ComparisonId, query?: ListDifferencesQuery, options?: ReadOptions): List<Difference, ListDifferencesResponse> {
    return this.connection.list(operations.listDifferences, { path: { comparison_id }, query }, options)
  }
}

export class NoticesOperations extends Group {
  /**
   * Set a notice of the platform. What the platform says to people before they consent: itemised, in one
   * language. Returns 201 when it is new. Once a consent names it, it is evidence and cannot be changed: give
   * the next one another version.
   *
   * **Who may call:** platform (own only)
   */
  set(version: string, language: string, body: SetNoticeRequest, options?: WriteOptions & IfMatch): Promise<ConsentNotice> {
    return this.connection.call(operations.setNotice, { path: { version, language }, body }, options)
  }

  /**
   * Read a notice of the platform. Send the `ETag` as `If-None-Match` to read the record again only if it has
   * changed.
   *
   * **Who may call:** platform (own only), app user (own only)
   */
  read(version: string, language: string, options: ReadOptions & IfNoneMatch): Promise<ConsentNotice | NotModified>
  read(version: string, language: string, options?: ReadOptions): Promise<ConsentNotice>
  read(version: string, language: string, options?: ReadOptions): Promise<ConsentNotice> {
    return this.connection.call(operations.readNotice, { path: { version, language } }, options)
  }
}

export class UserConsentsOperations extends GroupOfUser {
  /**
   * Record a consent. The consent of a person to one purpose, on a notice that was set before. Who is below 18
   * by the stored birth has a PARENT or GUARDIAN consent, who is 18. `children` is the consent of the user for
   * the children they register within 24 hours of it. What names the notice makes it unchangeable.
   *
   * **Who may call:** platform (own only), app user (own only)
   */
  give(body: GiveConsentRequest, options?: WriteOptions): Promise<Consent> {
    return this.connection.call(operations.giveConsent, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List the consents of a user. Newest first, with those that were withdrawn.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  list(query?: ListConsentsQuery, options?: ReadOptions): List<Consent, ListConsentsResponse> {
    return this.connection.list(operations.listConsents, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Withdraw a consent. Stops what is new for its purpose, where the platform has such a rule; it ends no policy
   * and moves no money. The consent stays in the list with `withdrawn_at`. The event `consent.withdrawn` asks
   * the platform and the person’s benefit providers for what follows from it.
   *
   * **Who may call:** platform (own only), app user (own only)
   */
  withdraw(consent_id: ConsentId, options?: WriteOptions): Promise<Consent> {
    return this.connection.call(operations.withdrawConsent, { path: { user_id: this.userId, consent_id } }, options)
  }
}

export class UserRightsRequestsOperations extends GroupOfUser {
  /**
   * Ask the platform by the law on personal data. Records what a person asks for: access, correction, erasure, a
   * nomination, or a grievance. It is RECEIVED, and due within the platform’s `response_days`: 90 unless it set
   * another number, and never more for a grievance. The request itself changes nothing else.
   *
   * **Who may call:** platform (own only), app user (own only)
   */
  create(body: CreateRightsRequestRequest, options?: WriteOptions): Promise<RightsRequest> {
    return this.connection.call(operations.createRightsRequest, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List what a user has asked by the law on personal data. Newest first.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  list(query?: ListRightsRequestsQuery, options?: ReadOptions): List<RightsRequest, ListRightsRequestsResponse> {
    return this.connection.list(operations.listRightsRequests, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Set the state of a rights request. Transitions: RECEIVED to IN_PROGRESS, then ANSWERED or, with a reason,
   * REFUSED.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  setState(request_id: string, body: SetRightsRequestStateRequest, options?: WriteOptions & IfMatch): Promise<RightsRequest> {
    return this.connection.call(operations.setRightsRequestState, { path: { user_id: this.userId, request_id }, body }, options)
  }
}

export class WalletOperations extends Group {
  /**
   * Request a one-time code. Sends a six-digit code to the phone, valid for five minutes. The response is the
   * same for an unknown phone. An unknown platform is a 404 outside production; in production it counts for the
   * IP address only. Limits by default: once in 30 seconds and five times an hour for a phone, 300 times an hour
   * for a network address.
   *
   * **Who may call:** anyone, without a token
   */
  requestOtp(body: RequestOtpRequest, options?: WriteOptions): Promise<OtpChallenge> {
    return this.connection.call(operations.requestOtp, { body }, options)
  }

  /**
   * Exchange a one-time code for a token pair. A code works once; five wrong codes end the challenge. By
   * default, an IP address may send 30 wrong codes an hour.
   *
   * **Who may call:** anyone, without a token
   */
  verifyOtp(body: VerifyOtpRequest, options?: WriteOptions): Promise<TokenPair> {
    return this.connection.call(operations.verifyOtp, { body }, options)
  }

  /**
   * Refresh a token pair. A refresh token works once. Reusing one ends the session, except that sending the last
   * one again within ten seconds returns the same pair. Sessions end after 30 days without use, and after 90
   * days in any case.
   *
   * **Who may call:** anyone, without a token
   */
  refreshToken(body: RefreshWalletTokenRequest, options?: WriteOptions): Promise<TokenPair> {
    return this.connection.call(operations.refreshWalletToken, { body }, options)
  }

  /**
   * End a session. Ends the session of the refresh token; its access tokens stop working within a second. Always
   * returns 200.
   *
   * **Who may call:** anyone, without a token
   */
  logOut(body: LogOutOfWalletRequest, options?: WriteOptions): Promise<LogOutOfWalletResponse> {
    return this.connection.call(operations.logOutOfWallet, { body }, options)
  }

  /**
   * Create the wallet. A user has one wallet. Returns 201 and `created: true` when the call created it, 200 and
   * `created: false` when it existed. A FAILED wallet is provisioned again. Only the user creates a wallet,
   * after signing in with a one-time code: a platform cannot.
   *
   * **Who may call:** wallet user (own only)
   */
  create(options?: WriteOptions): Promise<Wallet> {
    return this.connection.call(operations.createWallet, {}, options)
  }

  /**
   * Read the wallet. Returns the caller’s wallet, or 404 until it is created.
   *
   * **Who may call:** wallet user (own only)
   */
  read(options: ReadOptions & IfNoneMatch): Promise<WalletWithLimits | NotModified>
  read(options?: ReadOptions): Promise<WalletWithLimits>
  read(options?: ReadOptions): Promise<WalletWithLimits> {
    return this.connection.call(operations.readWallet, {}, options)
  }

  /**
   * Read the status of a wallet. Returns the provisioning status. `wallet_id` is the `partner_wallet_id` of the
   * wallet.
   *
   * **Who may call:** wallet user (own only)
   */
  readStatus(wallet_id: WalletId, options: ReadOptions & IfNoneMatch): Promise<WalletStatus | NotModified>
  readStatus(wallet_id: WalletId, options?: ReadOptions): Promise<WalletStatus>
  readStatus(wallet_id: WalletId, options?: ReadOptions): Promise<WalletStatus> {
    return this.connection.call(operations.readWalletStatus, { path: { wallet_id } }, options)
  }

  /**
   * Receive a status from the operator. Signed by the operator. Signatures older than five minutes are rejected.
   * A repeated event, or one with an older `sequence`, changes nothing. An event that contradicts what is known,
   * because another status came under that `sequence` or a later one, or something else under that `event_id`,
   * has the operator asked for the status within seconds; so has a `sequence` more than 1,000,000 ahead, which
   * is a 422. BLOCKED counts at once; ACTIVE unblocks a wallet if the operator, which is then asked, responds
   * the same, otherwise when it does.
   *
   * **Who may call:** the wallet operator
   */
  receiveOperatorEvent(body: ReceiveOperatorEventRequest, options?: WriteOptions): Promise<ReceiveOperatorEventResponse> {
    return this.connection.call(operations.receiveOperatorEvent, { body }, options)
  }

  /**
   * List the transactions of the wallet. Newest first. Returns 404 until the user has created the wallet with
   * `POST /wallet/v1/wallet`.
   *
   * **Who may call:** wallet user (own only)
   */
  listTransactions(query?: ListWalletTransactionsQuery, options?: ReadOptions): List<WalletTransaction, ListWalletTransactionsResponse> {
    return this.connection.list(operations.listWalletTransactions, { query }, options)
  }
}

export class HealthCardsOperations extends Group {
  /**
   * Check a health card. Target of the code on a health card or certificate, whose URL is shorter: `/C/{token}`.
   * Returns the cover today, as JSON or as an HTML page. For a code that is not signed by this service, or
   * belongs to nobody, the result is `not_valid`, without the other fields. The card of somebody who is covered,
   * but was corrected and issued again since, has `newer_card`. The code is read in either case.
   *
   * **Who may call:** anyone, without a token
   */
  check(token: string, options?: ReadOptions): Promise<CheckHealthCardResponse> {
    return this.connection.call(operations.checkHealthCard, { path: { token } }, options)
  }
}

export class UserScope extends GroupOfUser {
  readonly dependants = new UserDependantsOperations(this.connection, this.userId)
  readonly policies = new UserPoliciesOperations(this.connection, this.userId)
  readonly coverage = new UserCoverageOperations(this.connection, this.userId)
  readonly nextActions = new UserNextActionsOperations(this.connection, this.userId)
  readonly accounts = new UserAccountsOperations(this.connection, this.userId)
  readonly consultations = new UserConsultationsOperations(this.connection, this.userId)
  readonly wallet = new UserWalletOperations(this.connection, this.userId)
  readonly oneTimeCodes = new UserOneTimeCodesOperations(this.connection, this.userId)
  readonly consents = new UserConsentsOperations(this.connection, this.userId)
  readonly rightsRequests = new UserRightsRequestsOperations(this.connection, this.userId)

  /**
   * Read a user. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
   *
   * **Who may call:** platform (own only), app user (own only), viewer, operator, owner
   */
  read(options: ReadOptions & IfNoneMatch): Promise<User | NotModified>
  read(options?: ReadOptions): Promise<User>
  read(options?: ReadOptions): Promise<User> {
    return this.connection.call(operations.readUser, { path: { user_id: this.userId } }, options)
  }

  /**
   * Update a user. Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null` removes a
   * field, after onboarding only `address`: the others are required from then on. Users may change only their
   * own `email` and `address`. Dial code and number change together, and a new phone ends the wallet sessions of
   * the old one. Both `null` set the number free for somebody else and end its wallet sessions; only a user with
   * an id proof can be without one, and is found by that from then on. A new name, title, gender or date of
   * birth puts ISSUED policies into REQUIRES_POLICY_REISSUANCE; documents already issued do not change. A patch
   * without changes returns the user unchanged.
   *
   * **Who may call:** platform (own only), app user (own only), operator, owner
   */
  update(body: UpdateUserRequest, options?: WriteOptions & IfMatch): Promise<User> {
    return this.connection.call(operations.updateUser, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * Erase a user. Destroys the data key of the user, so that none of their personal data can be decrypted, and
   * revokes every session and token within a second. From then on every URL of the user returns 404 and their
   * health cards are `not_valid`; their phone and id proof can belong to a new user. Wallet transactions and
   * policy numbers are retained without the person, as `fields` states; where a hold by rule 8(3) is set, the
   * data stays for a time, sealed for who has a key that no server has. With a notice period, `erased_at` is in
   * the future; repeating the request returns the same, and `DELETE …/erasure` cancels it. Benefit providers
   * that had a policy hear it by `user.erased`, with the ids of their policies. The wallet operator and the
   * account provider are not called: inform them of what they hold.
   *
   * **Who may call:** platform (own only), owner
   */
  erase(query?: EraseUserQuery, options?: WriteOptions & IfMatch): Promise<Erasure> {
    return this.connection.call(operations.eraseUser, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Read the employee number of a user. The number that the platform has set; `null` when there is none.
   *
   * **Who may call:** platform (own only), viewer, operator, owner
   */
  readReference(options?: ReadOptions): Promise<UserReference> {
    return this.connection.call(operations.readUserReference, { path: { user_id: this.userId } }, options)
  }

  /**
   * Set the employee number of a user. The platform’s own number of the person, unique within the platform
   * whatever its case and outer white space; `null` clears it. It is a criterion of `POST /users/search` and a
   * column of the CSV of users. It is shown as it was sent.
   *
   * **Who may call:** platform (own only)
   */
  setReference(body: SetUserReferenceRequest, options?: WriteOptions): Promise<UserReference> {
    return this.connection.call(operations.setUserReference, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * End the sessions of a user. Ends the app tokens and the wallet sessions of the person within a second, and
   * makes the one-time codes under way void: for a lost phone, or a number in other hands. The person can sign
   * in again at once. The codes stay in `GET /v1/users/{user_id}/one_time_codes`. 204 also when there was no
   * session.
   *
   * **Who may call:** platform (own only), operator, owner
   */
  endSessions(options?: WriteOptions): Promise<Done> {
    return this.connection.call(operations.endUserSessions, { path: { user_id: this.userId } }, options)
  }

  /**
   * Complete onboarding. Completes the profile and requests the purpose-bound account, which starts PENDING.
   * Sending the same body again returns the same user with a new token; a different body after completion is a
   * conflict. A token returned to the user ends with the one they sent.
   *
   * **Who may call:** platform (own only), app user (own only)
   */
  completeOnboarding(body: CompleteOnboardingRequest, options?: WriteOptions): Promise<OnboardedUser> {
    return this.connection.call(operations.completeOnboarding, { path: { user_id: this.userId }, body }, options)
  }

  /**
   * List accesses to a user’s data. Newest first. A read is listed within a second. Send `next` as `after` to
   * continue.
   *
   * **Who may call:** platform (own only), app user (own only), owner
   */
  listAccessLog(query?: ListAccessLogQuery, options?: ReadOptions): List<AccessEntry, ListAccessLogResponse> {
    return this.connection.list(operations.listAccessLog, { path: { user_id: this.userId }, query }, options)
  }

  /**
   * Export everything about a user. One JSON document with everything about the person: profile, all versions of
   * dependants, policies and their ends, accounts, consultations with their messages, wallet and bookings, who
   * has access, uploaded documents, wallet sessions, a scheduled erasure, status changes, and the access log.
   * Policy documents are not included; download them from the URLs in each policy. `schema` is the URL of the
   * JSON Schema. By default, a caller may export a user ten times an hour.
   *
   * **Who may call:** platform (own only), app user (own only), owner
   */
  export(options?: ReadOptions): Promise<UserExport> {
    return this.connection.call(operations.exportUser, { path: { user_id: this.userId } }, options)
  }

  /**
   * Preview the erasure of a user. What `DELETE …/users/{user_id}` would do now: when, what prevents it, and
   * what would become of each field. Changes nothing, and decrypts nothing.
   *
   * **Who may call:** platform (own only), owner
   */
  previewErasure(options?: ReadOptions): Promise<ErasurePreview> {
    return this.connection.call(operations.previewUserErasure, { path: { user_id: this.userId } }, options)
  }

  /**
   * Cancel the erasure of a user. Possible during the notice period, if there is one. Without a scheduled
   * erasure, `cancelled` is `false`. Returns 404 for a user who was erased.
   *
   * **Who may call:** platform (own only), owner
   */
  cancelErasure(options?: WriteOptions): Promise<CancelledErasure> {
    return this.connection.call(operations.cancelErasure, { path: { user_id: this.userId } }, options)
  }
}

/** Every operation that is not about one user. */
export class Groups extends Group {
  readonly administrators = new AdministratorsOperations(this.connection)
  readonly platforms = new PlatformsOperations(this.connection)
  readonly benefitProviders = new BenefitProvidersOperations(this.connection)
  readonly credentials = new CredentialsOperations(this.connection)
  readonly sponsors = new SponsorsOperations(this.connection)
  readonly sponsorNames = new SponsorNamesOperations(this.connection)
  readonly benefits = new BenefitsOperations(this.connection)
  readonly users = new UsersOperations(this.connection)
  readonly policies = new PoliciesOperations(this.connection)
  readonly members = new MembersOperations(this.connection)
  readonly nextActions = new NextActionsOperations(this.connection)
  readonly endorsements = new EndorsementsOperations(this.connection)
  readonly accounts = new AccountsOperations(this.connection)
  readonly accountProviders = new AccountProvidersOperations(this.connection)
  readonly consultations = new ConsultationsOperations(this.connection)
  readonly wallets = new WalletsOperations(this.connection)
  readonly events = new EventsOperations(this.connection)
  readonly auditLog = new AuditLogOperations(this.connection)
  readonly exposure = new ExposureOperations(this.connection)
  readonly statistics = new StatisticsOperations(this.connection)
  readonly meta = new MetaOperations(this.connection)
  readonly webhookEndpoints = new WebhookEndpointsOperations(this.connection)
  readonly imports = new ImportsOperations(this.connection)
  readonly comparisons = new ComparisonsOperations(this.connection)
  readonly notices = new NoticesOperations(this.connection)
  readonly wallet = new WalletOperations(this.connection)
  readonly healthCards = new HealthCardsOperations(this.connection)
}
