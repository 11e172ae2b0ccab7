# Generated from openapi.json by `npm run generate`. Do not edit.

from .calls import Calls


class Operations(Calls):
    def read_session(self, **options):
        """Read the current session. Returns the administrator of the session cookie, or of an access token
        issued through it. Returns 404 for a token made on the command line. **Who may call:** viewer,
        operator, owner"""
        return self._call(dict(method='GET', path='/v1/auth/session'), {}, {}, None, options)

    def create_session_token(self, **options):
        """Exchange the session for an access token. A person of a partner gets a token with the rights of the
        partner. The token is valid for 15 minutes, but no longer than the session: logging out ends it
        within a second. Accepts the session cookie only. **Who may call:** viewer, operator, owner"""
        return self._call(dict(method='POST', path='/v1/auth/session/token', auth='session'), {}, {}, None, options)

    def log_out(self, body=None, **options):
        """Log out. Ends the session of the cookie, and its access tokens within a second. To end the session
        at the identity provider too, open `end_session_url` in the browser. Returns 200 even without a
        session. **Who may call:** anyone, without a token"""
        return self._call(dict(method='POST', path='/v1/auth/logout', auth='none', repeatable=True), {}, {}, body, options)

    def list_administrators(self, *, limit=None, offset=None, status=None, **options):
        """List administrators. Everyone who has ever logged in, newest first. **Who may call:** owner"""
        return self._call(dict(method='GET', path='/v1/administrators'), {}, {'limit': limit, 'offset': offset, 'status': status}, None, options)

    def set_administrator_status(self, administrator_id, body, **options):
        """Disable or enable an administrator. DISABLED ends all sessions and access tokens of the
        administrator within a second and prevents logins; after ACTIVE, the administrator can log in again.
        Administrators cannot disable themselves. **Who may call:** owner"""
        return self._call(dict(method='PUT', path='/v1/administrators/{administrator_id}/status', keyed=True), {'administrator_id': administrator_id}, {}, body, options)

    def list_administrator_sessions(self, administrator_id, *, limit=None, offset=None, **options):
        """List the sessions of an administrator. Active sessions, newest first. **Who may call:** owner"""
        return self._call(dict(method='GET', path='/v1/administrators/{administrator_id}/sessions'), {'administrator_id': administrator_id}, {'limit': limit, 'offset': offset}, None, options)

    def end_administrator_session(self, administrator_id, session_id, **options):
        """End a session of an administrator. Its access tokens end within a second. Returns `ended: false` if
        there is no such session. **Who may call:** owner"""
        return self._call(dict(method='DELETE', path='/v1/administrators/{administrator_id}/sessions/{session_id}', keyed=True), {'administrator_id': administrator_id, 'session_id': session_id}, {}, None, options)

    def list_platform_credentials(self, platform_id, **options):
        """List the credentials of a platform. Ids of the live credentials, newest first, without secrets.
        **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms/{platform_id}/credentials'), {'platform_id': platform_id}, {}, None, options)

    def create_platform_credential(self, platform_id, body=None, **options):
        """Create a credential for a platform. Only this response contains the `basic_token`. At most 20
        credentials; when all 20 are in use, an expired one is replaced. The body is optional and sets
        limits. **Who may call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/platforms/{platform_id}/credentials', keyed=True), {'platform_id': platform_id}, {}, body, options)

    def read_platform_credential(self, platform_id, credential_id, **options):
        """Read a credential of a platform. Returns its limits and its last use, without the secret. **Who may
        call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms/{platform_id}/credentials/{credential_id}'), {'platform_id': platform_id, 'credential_id': credential_id}, {}, None, options)

    def revoke_platform_credential(self, platform_id, credential_id, *, keep_user_tokens=None, **options):
        """Revoke a credential of a platform. Tokens issued through it stop working within a second. Returns
        `revoked: false` when the credential does not exist. Repeated without `keep_user_tokens`, it ends
        the user tokens that the first call kept. **Who may call:** operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/platforms/{platform_id}/credentials/{credential_id}', keyed=True), {'platform_id': platform_id, 'credential_id': credential_id}, {'keep_user_tokens': keep_user_tokens}, None, options)

    def list_benefit_provider_credentials(self, benefit_provider_id, **options):
        """List the credentials of a benefit provider. Ids of the live credentials, newest first, without
        secrets. **Who may call:** benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/benefit_providers/{benefit_provider_id}/credentials'), {'benefit_provider_id': benefit_provider_id}, {}, None, options)

    def create_benefit_provider_credential(self, benefit_provider_id, body=None, **options):
        """Create a credential for a benefit provider. Only this response contains the `basic_token`. At most
        20 credentials; when all 20 are in use, an expired one is replaced. The body is optional and sets
        limits. **Who may call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/benefit_providers/{benefit_provider_id}/credentials', keyed=True), {'benefit_provider_id': benefit_provider_id}, {}, body, options)

    def read_benefit_provider_credential(self, benefit_provider_id, credential_id, **options):
        """Read a credential of a benefit provider. Returns its limits and its last use, without the secret.
        **Who may call:** benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}'), {'benefit_provider_id': benefit_provider_id, 'credential_id': credential_id}, {}, None, options)

    def revoke_benefit_provider_credential(self, benefit_provider_id, credential_id, **options):
        """Revoke a credential of a benefit provider. Tokens issued through it stop working within a second.
        Returns `revoked: false` when the credential does not exist. **Who may call:** operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/benefit_providers/{benefit_provider_id}/credentials/{credential_id}', keyed=True), {'benefit_provider_id': benefit_provider_id, 'credential_id': credential_id}, {}, None, options)

    def exchange_credential(self, body, **options):
        """Exchange a credential for an access token. OAuth 2.0 client credentials (RFC 6749, 4.4): HTTP Basic
        with the `basic_token`. The token is valid for 60 minutes. A form has at most 100 fields. **Who may
        call:** holders of a valid credential"""
        return self._call(dict(method='POST', path='/v1/oauth/token', auth='basic', repeatable=True), {}, {}, body, options)

    def create_platform(self, body, **options):
        """Create a platform. Registers a partner company. A new platform is ACTIVE; create a credential for it
        next. **Who may call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/platforms', keyed=True), {}, {}, body, options)

    def list_platforms(self, *, limit=None, offset=None, status=None, **options):
        """List platforms. Newest first. **Who may call:** viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms'), {}, {'limit': limit, 'offset': offset, 'status': status}, None, options)

    def read_platform(self, platform_id, **options):
        """Read a platform. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
        **Who may call:** viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms/{platform_id}'), {'platform_id': platform_id}, {}, None, options)

    def set_platform_status(self, platform_id, body, **options):
        """Disable or enable a platform. Setting INACTIVE stops the platform and every token issued to it or
        its users within a second. **Who may call:** operator, owner"""
        return self._call(dict(method='PUT', path='/v1/platforms/{platform_id}/status', keyed=True), {'platform_id': platform_id}, {}, body, options)

    def read_web_origins(self, platform_id, **options):
        """Read the web origins of a platform. Send the `ETag` as `If-None-Match` to read the record again only
        if it has changed. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms/{platform_id}/web_origins'), {'platform_id': platform_id}, {}, None, options)

    def set_web_origins(self, platform_id, body, **options):
        """Replace the web origins of a platform. Names the origins of the platform’s web apps: only their
        pages may call with the tokens of its users, for a browser reads a response only where the service
        allows the origin (CORS). Scheme, host and port, as in `https://app.example.com`; `http` for
        `localhost` only; `capacitor://localhost` and `ionic://localhost` for apps that are made of web
        pages. An empty list allows none. A change holds within five seconds. **Who may call:** platform
        (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/platforms/{platform_id}/web_origins', keyed=True), {'platform_id': platform_id}, {}, body, options)

    def read_wallet_limits(self, platform_id, **options):
        """Read the limits of a platform’s wallets. Send the `ETag` as `If-None-Match` to read the record again
        only if it has changed. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms/{platform_id}/wallet_limits'), {'platform_id': platform_id}, {}, None, options)

    def set_wallet_limits(self, platform_id, body, **options):
        """Replace the limits of a platform’s wallets. Limits, in paise, what a wallet may hold, and what may
        be credited to it and debited from it in a month and in a financial year (from 1 April) of India.
        Each entry holds from its day until that of the next; what it leaves out is not limited. A booking
        above a limit is 409 `conflict` `limit_reached`. Refunds (`refund_of`) are not limited and do not
        count. An empty list limits nothing. A change holds within five seconds, one for a later day from
        that day’s first second. **Who may call:** operator, owner"""
        return self._call(dict(method='PUT', path='/v1/platforms/{platform_id}/wallet_limits', keyed=True), {'platform_id': platform_id}, {}, body, options)

    def create_benefit_provider(self, body, **options):
        """Create a benefit provider. Registers an insurer or clinic network. `code` must be unique. **Who may
        call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/benefit_providers', keyed=True), {}, {}, body, options)

    def list_benefit_providers(self, *, limit=None, offset=None, **options):
        """List benefit providers. Newest first. **Who may call:** platform, app user, benefit provider,
        viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/benefit_providers'), {}, {'limit': limit, 'offset': offset}, None, options)

    def read_benefit_provider(self, benefit_provider_id, **options):
        """Read a benefit provider. Send the `ETag` as `If-None-Match` to read the record again only if it has
        changed. **Who may call:** platform, app user, benefit provider, viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/benefit_providers/{benefit_provider_id}'), {'benefit_provider_id': benefit_provider_id}, {}, None, options)

    def update_benefit_provider(self, benefit_provider_id, body, **options):
        """Update a benefit provider. Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole,
        `null` removes it or `colour`. Documents show what was there when the policy was enrolled or issued.
        **Who may call:** operator, owner"""
        return self._call(dict(method='PATCH', path='/v1/benefit_providers/{benefit_provider_id}', keyed=True), {'benefit_provider_id': benefit_provider_id}, {}, body, options)

    def create_sponsor(self, body, **options):
        """Create a sponsor. A new sponsor is PENDING until an administrator activates it. **Who may call:**
        platform (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/sponsors', keyed=True), {}, {}, body, options)

    def list_sponsors(self, *, limit=None, offset=None, status=None, **options):
        """List sponsors. Newest first. Platforms see only their own. **Who may call:** platform (own only),
        viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/sponsors'), {}, {'limit': limit, 'offset': offset, 'status': status}, None, options)

    def list_sponsor_names(self, *, limit=None, offset=None, platform_id=None, sponsor_id=None, status=None, **options):
        """List the names of sponsors. Names alone, for those who show them alongside other records: no tax id,
        contact or address. Newest first. Platforms see only their own. The audit has one entry for the
        list. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/sponsor_names'), {}, {'limit': limit, 'offset': offset, 'platform_id': platform_id, 'sponsor_id': sponsor_id, 'status': status}, None, options)

    def read_sponsor(self, sponsor_id, **options):
        """Read a sponsor. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
        **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/sponsors/{sponsor_id}'), {'sponsor_id': sponsor_id}, {}, None, options)

    def update_sponsor(self, sponsor_id, body, **options):
        """Update a sponsor. Top-level JSON merge patch (RFC 7396); `address` and `sponsor_details` are
        replaced as a whole. Changing `pan` or `sponsor_kind` puts an ACTIVE sponsor back to PENDING. **Who
        may call:** platform (own only), operator, owner"""
        return self._call(dict(method='PATCH', path='/v1/sponsors/{sponsor_id}', keyed=True), {'sponsor_id': sponsor_id}, {}, body, options)

    def set_sponsor_status(self, sponsor_id, body, **options):
        """Set the status of a sponsor. Transitions: PENDING to ACTIVE or INACTIVE, ACTIVE to INACTIVE,
        INACTIVE to ACTIVE. **Who may call:** operator, owner"""
        return self._call(dict(method='PUT', path='/v1/sponsors/{sponsor_id}/status', keyed=True), {'sponsor_id': sponsor_id}, {}, body, options)

    def create_benefit(self, body, **options):
        """Create a benefit. Creates a benefit that a sponsor pays for and a benefit provider delivers, in one
        or more plans. **Who may call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/benefits', keyed=True), {}, {}, body, options)

    def list_benefits(self, *, limit=None, offset=None, platform_id=None, status=None, **options):
        """List benefits. Newest first. Lists ACTIVE benefits unless `status` is given. Platforms and their
        users see benefits of their sponsors, benefit providers their own. **Who may call:** platform (own
        only), app user (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/benefits'), {}, {'limit': limit, 'offset': offset, 'platform_id': platform_id, 'status': status}, None, options)

    def read_benefit(self, benefit_id, **options):
        """Read a benefit. Archived benefits stay readable. **Who may call:** platform (own only), app user
        (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/benefits/{benefit_id}'), {'benefit_id': benefit_id}, {}, None, options)

    def update_benefit(self, benefit_id, body, **options):
        """Update a benefit. Top-level JSON merge patch (RFC 7396); `plans` is replaced as a whole. Policies
        keep the plan they were enrolled in. **Who may call:** operator, owner"""
        return self._call(dict(method='PATCH', path='/v1/benefits/{benefit_id}', keyed=True), {'benefit_id': benefit_id}, {}, body, options)

    def delete_benefit(self, benefit_id, **options):
        """Delete a benefit. Archives the benefit. Rejected while policies that are not EXPIRED or REJECTED use
        it. Deleting it again returns the same response. **Who may call:** operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/benefits/{benefit_id}', keyed=True), {'benefit_id': benefit_id}, {}, None, options)

    def issue_token(self, body, **options):
        """Issue an app-user token. Finds the user of the calling platform by `id_proof.number`, else by phone,
        and creates one if there is none. Until onboarding is complete, the fields sent update the user;
        afterwards only a new phone number and a first id proof do. A `dob` or `gender` other than that of
        an onboarded user who is found by phone is a 409, reason `different_person`. **Who may call:**
        platform"""
        return self._call(dict(method='POST', path='/v1/auth/token', keyed=True), {}, {}, body, options)

    def list_users(self, *, limit=None, offset=None, **options):
        """List users. Newest first. Platforms see only their own. The CSV also has the `employee_number` of
        each. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users'), {}, {'limit': limit, 'offset': offset}, None, options)

    def search_users(self, body=None, *, limit=None, offset=None, **options):
        """Search users. Searches by exactly one of: phone (dial code and number), `id_proof`,
        `external_policy_id`, `employee_number`. Only exact matches are returned, newest first. The criteria
        are in the body so that URLs contain no personal data; to follow a `Link`, send the same body again.
        Nothing is written: an `Idempotency-Key` is neither needed nor stored. **Who may call:** platform
        (own only), viewer, operator, owner"""
        return self._call(dict(method='POST', path='/v1/users/search', repeatable=True), {}, {'limit': limit, 'offset': offset}, body, options)

    def read_user(self, user_id, **options):
        """Read a user. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
        **Who may call:** platform (own only), app user (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}'), {'user_id': user_id}, {}, None, options)

    def update_user(self, user_id, body, **options):
        """Update a user. Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null`
        removes a field, after onboarding only `address`: the others are required from then on. Users may
        change only their own `email` and `address`. Dial code and number change together, and a new phone
        ends the wallet sessions of the old one. Both `null` set the number free for somebody else and end
        its wallet sessions; only a user with an id proof can be without one, and is found by that from then
        on. A new name, title, gender or date of birth puts ISSUED policies into REQUIRES_POLICY_REISSUANCE;
        documents already issued do not change. A patch without changes returns the user unchanged. **Who
        may call:** platform (own only), app user (own only), operator, owner"""
        return self._call(dict(method='PATCH', path='/v1/users/{user_id}', keyed=True), {'user_id': user_id}, {}, body, options)

    def erase_user(self, user_id, *, end_policies=None, **options):
        """Erase a user. Destroys the data key of the user, so that none of their personal data can be
        decrypted, and revokes every session and token within a second. From then on every URL of the user
        returns 404 and their health cards are `not_valid`; their phone and id proof can belong to a new
        user. Wallet transactions and policy numbers are retained without the person, as `fields` states;
        where a hold by rule 8(3) is set, the data stays for a time, sealed for who has a key that no server
        has. With a notice period, `erased_at` is in the future; repeating the request returns the same, and
        `DELETE …/erasure` cancels it. Benefit providers that had a policy hear it by `user.erased`, with
        the ids of their policies. The wallet operator and the account provider are not called: inform them
        of what they hold. **Who may call:** platform (own only), owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}', keyed=True), {'user_id': user_id}, {'end_policies': end_policies}, None, options)

    def read_user_reference(self, user_id, **options):
        """Read the employee number of a user. The number that the platform has set; `null` when there is none.
        **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/reference'), {'user_id': user_id}, {}, None, options)

    def set_user_reference(self, user_id, body, **options):
        """Set the employee number of a user. The platform’s own number of the person, unique within the
        platform whatever its case and outer white space; `null` clears it. It is a criterion of `POST
        /users/search` and a column of the CSV of users. It is shown as it was sent. **Who may call:**
        platform (own only)"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/reference', keyed=True), {'user_id': user_id}, {}, body, options)

    def end_user_sessions(self, user_id, **options):
        """End the sessions of a user. Ends the app tokens and the wallet sessions of the person within a
        second, and makes the one-time codes under way void: for a lost phone, or a number in other hands.
        The person can sign in again at once. The codes stay in `GET /v1/users/{user_id}/one_time_codes`.
        204 also when there was no session. **Who may call:** platform (own only), operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/sessions', keyed=True, returns='nothing'), {'user_id': user_id}, {}, None, options)

    def complete_onboarding(self, user_id, body, **options):
        """Complete onboarding. Completes the profile and requests the purpose-bound account, which starts
        PENDING. Sending the same body again returns the same user with a new token; a different body after
        completion is a conflict. A token returned to the user ends with the one they sent. **Who may
        call:** platform (own only), app user (own only)"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/complete_onboarding', keyed=True), {'user_id': user_id}, {}, body, options)

    def create_dependants(self, user_id, body, **options):
        """Create dependants in bulk. Creates all or none, and returns them in the order sent. Two entries with
        equal names and date of birth are an error. A dependant that is already registered is a conflict, as
        is exceeding the limit per user, 50 by default. **Who may call:** platform (own only), app user (own
        only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/dependants/bulk', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_dependants(self, user_id, *, limit=None, offset=None, **options):
        """List dependants. Lists the current versions, newest first. **Who may call:** platform (own only),
        app user (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/dependants'), {'user_id': user_id}, {'limit': limit, 'offset': offset}, None, options)

    def read_dependant(self, user_id, dependant_id, **options):
        """Read a dependant. Superseded versions stay readable. **Who may call:** platform (own only), app user
        (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/dependants/{dependant_id}'), {'user_id': user_id, 'dependant_id': dependant_id}, {}, None, options)

    def update_dependant(self, user_id, dependant_id, body, **options):
        """Correct a dependant. Creates a new version with a new id and `previous_version_id`. The previous
        version leaves the list. A patch without changes creates none. A dependant has a limited number of
        versions, 100 by default. **Who may call:** platform (own only), app user (own only), operator,
        owner"""
        return self._call(dict(method='PATCH', path='/v1/users/{user_id}/dependants/{dependant_id}', keyed=True), {'user_id': user_id, 'dependant_id': dependant_id}, {}, body, options)

    def enrol_insurance_policy(self, user_id, body, **options):
        """Enrol a user in a plan. Creates a PENDING policy. Its first term is the plan’s, or ends on
        `end_date` where that is earlier; later terms have the plan’s length and are counted from the day
        after it. It starts a year ahead at most, and not so early that term and grace are over. Open
        policies of a user in the same plan never overlap. **Who may call:** platform (own only), operator,
        owner"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/insurance_policies', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_insurance_policies(self, user_id, *, limit=None, offset=None, status=None, **options):
        """List the insurance policies of a user. Newest first. `status` may be repeated. Benefit providers see
        only policies of their own benefits. **Who may call:** platform (own only), app user (own only),
        benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies'), {'user_id': user_id}, {'limit': limit, 'offset': offset, 'status': status}, None, options)

    def list_all_insurance_policies(self, *, limit=None, after=None, changed_after=None, status=None, benefit_id=None, benefit_provider_id=None, due_before=None, order=None, assignee=None, sent_back=None, **options):
        """List the insurance policies of all users. Last change first, then by id; small entries without
        personal data. Send `next` as `after`, with the same filters, until it is `null`. What does not
        change while you page is listed exactly once. What changes moves to the front: you can meet it
        twice, or miss it on the later pages, and find it again with `changed_after`. There is no total;
        `GET /v1/statistics` counts. A benefit provider finds the policies of its benefits, a platform those
        of its users. With `order=oldest` those that wait longest come first, by `status_since`: only
        policies in a state in which somebody has to act, so not those that are ISSUED, EXPIRED or REJECTED.
        **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/insurance_policies'), {}, {'limit': limit, 'after': after, 'changed_after': changed_after, 'status': status, 'benefit_id': benefit_id, 'benefit_provider_id': benefit_provider_id, 'due_before': due_before, 'order': order, 'assignee': assignee, 'sent_back': sent_back}, None, options)

    def search_insurance_policies(self, body=None, *, limit=None, after=None, **options):
        """Search insurance policies by number. Searches by exactly one of `external_policy_id`, the benefit
        provider’s number of the policy, `master_policy_number`, that of a group, and `policy_number`, what
        card and certificate print: the benefit provider’s number or our reference, such as
        `YSZX-X6GZ-GVV0`, in capitals or not, with hyphens or blanks or without; or the id. Only exact
        matches, last change first. What is retained of the policies of erased users is found by who would
        have found them before, with its law and last day in `retained`; the policy itself is a 404. The
        number is in the body so that URLs contain none; to continue, send the same body again with `next`
        as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored. **Who may call:**
        platform (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='POST', path='/v1/insurance_policies/search', repeatable=True), {}, {'limit': limit, 'after': after}, body, options)

    def list_insurance_policy_assignees(self, *, limit=None, offset=None, benefit_provider_id=None, **options):
        """List who can work on insurance policies. Those active people who can be assigned to a policy by the
        caller, newest first. A benefit provider finds its own people, an administrator all administrators
        and, with `benefit_provider_id`, the people of that benefit provider, too. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='GET', path='/v1/insurance_policies/assignees'), {}, {'limit': limit, 'offset': offset, 'benefit_provider_id': benefit_provider_id}, None, options)

    def read_insurance_policy(self, user_id, insurance_policy_id, **options):
        """Read an insurance policy. Send the `ETag` as `If-None-Match` to read the record again only if it has
        changed. **Who may call:** platform (own only), app user (own only), benefit provider (own only),
        viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def read_insurance_policy_status(self, user_id, insurance_policy_id, **options):
        """Read the status of an insurance policy. Returns the status, as the lists, the timeline and the
        events state it, and the transitions this caller may make. A transition that is due by the calendar
        shows once it is made, within seconds; transitions by people are judged as if it were. The ETag is
        the policy’s. **Who may call:** platform (own only), app user (own only), benefit provider (own
        only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/status'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def set_insurance_policy_status(self, user_id, insurance_policy_id, body, **options):
        """Set the status of an insurance policy. The state table decides which transitions are allowed. The
        provider’s policy numbers and metadata may be sent along. A renewal keeps the id and moves the dates
        by the plan’s term, counted from the first start. Days covered by another open policy of the plan
        are rejected, as is issuing a policy whose term and grace are over. The first issue, a renewal and a
        return from EXPIRED need a person with names and a date of birth, an ACTIVE sponsor and a benefit
        that is not archived. Only an owner can take a policy out of EXPIRED, or open its renewal window
        early, and must give a reason. APPROVED and ISSUED take `persons_version` where persons on the
        policy were corrected since its status was last set by a benefit provider or an administrator.
        Sending the current status changes nothing, whatever else is sent. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/status', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, body, options)

    def read_insurance_policy_end(self, user_id, insurance_policy_id, **options):
        """Read the end of an insurance policy. Returns the day on which a policy ends, or ended, before its
        term, why, and what is to be paid back. The ETag is the policy’s. **Who may call:** platform (own
        only), app user (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def set_insurance_policy_end(self, user_id, insurance_policy_id, body, **options):
        """Set the day on which an insurance policy ends. Of a policy that was issued. `on` is the last covered
        day. Until then the status stays, and the record’s `end_date` is that day; there is no renewal
        window, no grace and no renewal (409 `ending`). At 00:00 in India after it the policy is EXPIRED; by
        a day that is over, at once. A day goes back 45 days by default; further back, within the term, a
        benefit provider or an administrator goes with a reason, and before the term an owner. Sending
        another day moves the end. `amount` is for benefit providers and administrators. The same again
        changes nothing. **Who may call:** platform (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end', keyed=True, inRupees=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, body, options)

    def withdraw_insurance_policy_end(self, user_id, insurance_policy_id, **options):
        """Take back the end of an insurance policy. Until that day. The policy has its term again, with its
        renewal window and grace. Where another policy of the plan covers the days after the end by now, it
        is a 409 `already_exists`. Of a policy without an end it changes nothing. **Who may call:** platform
        (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/end', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def read_insurance_policy_assignee(self, user_id, insurance_policy_id, **options):
        """Read who works on an insurance policy. Who has taken it up, and since when; lists across users have
        the same, and filter by it with `assignee`. **Who may call:** platform (own only), benefit provider
        (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def assign_insurance_policy(self, user_id, insurance_policy_id, body=None, **options):
        """Assign an insurance policy. Says who works on a policy: you yourself, who have logged in, or the
        person in `administrator_id`. A benefit provider assigns to its own people, an administrator to
        these and to administrators. What somebody else has taken up is a 409 without `take_over`. It is no
        part of the policy, whose version stays, and no event; the audit has it. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, body, options)

    def release_insurance_policy(self, user_id, insurance_policy_id, **options):
        """Release an insurance policy. Nobody works on it any more. Colleagues can release what somebody
        absent has taken up. Releasing what nobody has taken up changes nothing. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/assignee', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def list_insurance_policy_timeline(self, user_id, insurance_policy_id, *, limit=None, offset=None, **options):
        """List the timeline of an insurance policy. Newest first: status changes with caller and reason,
        issues, uploaded and removed documents, corrections of the member and the dependants, and ends that
        were set and taken back. **Who may call:** platform (own only), app user (own only), benefit
        provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/timeline'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {'limit': limit, 'offset': offset}, None, options)

    def list_insurance_policy_terms(self, user_id, insurance_policy_id, **options):
        """List the terms of an insurance policy. The terms that the policy has covered, covers or will cover,
        the first one first, with their issues, prices and members. The policy itself shows the newest,
        which begins later than today where it was renewed early. Empty before the first issue. **Who may
        call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
        owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/terms'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def read_coverage(self, user_id, *, on=None, dependant_id=None, **options):
        """Read who is covered on a day. For the user and each dependant, and each of their policies, whether
        it covers the person on a day, past or future, and why not. It is said from what is stored now: a
        renewal holds for the days of grace before it, and of a future day as if nothing more happened. A
        join that the benefit provider has not accepted covers nobody, a rejected application neither
        (`expired`). It speaks of cover, not of claims: waiting periods, exclusions and sums are the benefit
        provider’s. A benefit provider gets its own policies, and who is on them. No name is shown. **Who
        may call:** platform (own only), app user (own only), benefit provider (own only), viewer, operator,
        owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/coverage'), {'user_id': user_id}, {'on': on, 'dependant_id': dependant_id}, None, options)

    def search_members(self, body, *, limit=None, after=None, **options):
        """Search the members of a group policy. The member file of a master policy on a day, past or future:
        its issued policies, last change first, each with the people it covers on that day, from what is
        stored now. The CSV has a row for each person, in the order of the policies. To continue, send the
        same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed
        nor stored. **Who may call:** platform (own only), benefit provider (own only), viewer, operator,
        owner"""
        return self._call(dict(method='POST', path='/v1/members/search', repeatable=True), {}, {'limit': limit, 'after': after}, body, options)

    def list_user_next_actions(self, user_id, **options):
        """List the next actions of a user. What must be done next of the user’s policies, endorsements,
        accounts, wallet, consultations, consents and rights requests, who is waited for, and until when:
        derived from what is stored now, the earliest `due_on` first, those without one last. Rights that
        run out, of which nobody is waited for, are among them: `return_policy` and `cancel_erasure`.
        Consultations are shown to those who may list them. **Who may call:** platform (own only), app user
        (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/next_actions'), {'user_id': user_id}, {}, None, options)

    def list_next_actions(self, *, limit=None, after=None, platform_id=None, benefit_provider_id=None, who=None, due_before=None, **options):
        """List the next actions of all users. The work list: in which records of all users somebody is waited
        for, the earliest `due_on` first, then those without one, which have waited longest first; small
        entries without personal data. A benefit provider finds those of its policies, endorsements and
        consultations, a platform those of its users and sponsors; consultations are shown to those who may
        list them. Rights that run out are in the list of a user only. Send `next` as `after`, with the same
        filters, until it is `null`. What does not change while you page is listed exactly once. There is no
        total. **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/next_actions'), {}, {'limit': limit, 'after': after, 'platform_id': platform_id, 'benefit_provider_id': benefit_provider_id, 'who': who, 'due_before': due_before}, None, options)

    def list_endorsements(self, *, limit=None, after=None, changed_after=None, state=None, insurance_policy_id=None, due_before=None, **options):
        """List the endorsements of all users. Last change first, then by id; small entries without personal
        data. Send `next` as `after`, with the same filters, until it is `null`. What does not change while
        you page is listed exactly once. What changes moves to the front: you can meet it twice, or miss it
        on the later pages, and find it again with `changed_after`. There is no total; `GET /v1/statistics`
        counts. A benefit provider finds those of its policies, a platform those of its users. With
        `due_before` those that wait, by the day on which they are due. **Who may call:** platform (own
        only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/endorsements'), {}, {'limit': limit, 'after': after, 'changed_after': changed_after, 'state': state, 'insurance_policy_id': insurance_policy_id, 'due_before': due_before}, None, options)

    def search_endorsements(self, body, *, limit=None, after=None, **options):
        """Search the endorsements of a group policy. The schedule of a master policy: its endorsements with a
        first day between `from` and `to`, both included, in every state, last change first. A nominee is
        named too; an END is of nobody. To continue, send the same body again with `next` as `after`.
        Nothing is written: an `Idempotency-Key` is neither needed nor stored. **Who may call:** platform
        (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='POST', path='/v1/endorsements/search', repeatable=True), {}, {'limit': limit, 'after': after}, body, options)

    def read_endorsement(self, endorsement_id, **options):
        """Read an endorsement. With the reason of its decision. **Who may call:** platform (own only), app
        user (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/endorsements/{endorsement_id}'), {'endorsement_id': endorsement_id}, {}, None, options)

    def set_endorsement_state(self, endorsement_id, body, **options):
        """Accept, refuse or take back an endorsement. The decision on the last pending one of a policy makes
        the next issue of the term that runs, and of the next term if that is issued already, unless all
        were refused or withdrawn; no date moves. A policy in REQUIRES_POLICY_REISSUANCE is ISSUED with it.
        Once it is refused, the person stays corrected, and the last issue in force. Issuing the policy
        accepts all at once. `amount` is what you charge, of a LEAVE or an END what you pay back: the
        deposit takes or gets it where the plan has a `premium_gate`, else it is for information. A platform
        takes back with WITHDRAWN who it asked to join or leave, and an end before its day. **Who may
        call:** platform (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/endorsements/{endorsement_id}/state', keyed=True, inRupees=True), {'endorsement_id': endorsement_id}, {}, body, options)

    def set_insurance_policy_nominee(self, user_id, insurance_policy_id, body=None, **options):
        """Set the nominee of an insurance policy. A dependant of the user, or `null` for nobody; it holds at
        once. An issued policy has to be certified again: it gets an endorsement, and one that is ISSUED is
        REQUIRES_POLICY_REISSUANCE. **Who may call:** platform (own only), app user (own only), operator,
        owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/nominee', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, body, options)

    def list_insurance_policy_members(self, user_id, insurance_policy_id, **options):
        """List who is on an insurance policy. The user and the dependants, with their first and last days:
        also those who have left, and those that the benefit provider has not accepted yet. Before the first
        issue it is who is asked for. The ETag is the policy’s. **Who may call:** platform (own only), app
        user (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/members'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id}, {}, None, options)

    def set_insurance_policy_member(self, user_id, insurance_policy_id, dependant_id, body=None, **options):
        """Set from when to when a dependant is on an insurance policy. Before the first issue: who is asked
        for. On an issued policy each day is an endorsement, and one that is ISSUED is
        REQUIRES_POLICY_REISSUANCE: a person who joins is covered from `from` once the benefit provider
        accepts it; who leaves is not covered after `to`, at once. A day goes back 45 days by default;
        further back, within the term, an administrator goes with a reason, and before the term an owner.
        The same again changes nothing. **Who may call:** platform (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/members/{dependant_id}', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'dependant_id': dependant_id}, {}, body, options)

    def download_document(self, user_id, insurance_policy_id, document_type, *, issue=None, **options):
        """Download a document of an insurance policy. Generated from the issue that holds today, else from the
        next; an enrolment form from the enrolment. Returns a file that the benefit provider has uploaded
        instead, if there is one, and 404 with a detail until the document exists. Send the `ETag` as
        `If-None-Match` to check whether it has changed. **Who may call:** platform (own only), app user
        (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}', returns='pdf'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'document_type': document_type}, {'issue': issue}, None, options)

    def upload_document(self, user_id, insurance_policy_id, document_type, body, *, issue=None, **options):
        """Upload a document of an insurance policy. Replaces the generated document of the pending issue, else
        of the last one; later issues have their own documents. The file must be an intact PDF of at most 10
        MiB, sent within 15 seconds. Returns 422 when it is encrypted, contains scripts or embedded files,
        exceeds 100 MiB when unpacked, or does anything but lead to one of its pages or, by a link, to an
        address that begins with `http://`, `https://`, `mailto:` or `tel:`. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}', sends='pdf'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'document_type': document_type}, {'issue': issue}, body, options)

    def delete_document_upload(self, user_id, insurance_policy_id, document_type, *, issue=None, **options):
        """Delete the upload of a document of an insurance policy. Deletes the upload for the pending issue,
        else for the last one. The generated document is served again. Returns the deleted upload, or 404
        when there is none. **Who may call:** benefit provider (own only), operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'document_type': document_type}, {'issue': issue}, None, options)

    def download_health_card(self, user_id, insurance_policy_id, member_id, *, issue=None, **options):
        """Download the health card of a member. Generated from the issue that holds today, else from the next.
        Returns a file that the benefit provider has uploaded instead, if there is one, and 404 with a
        detail until the document exists. Send the `ETag` as `If-None-Match` to check whether it has
        changed. The code on a card opens a public page that shows whether the card is valid. **Who may
        call:** platform (own only), app user (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}', returns='pdf'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'member_id': member_id}, {'issue': issue}, None, options)

    def upload_health_card(self, user_id, insurance_policy_id, member_id, body, *, issue=None, **options):
        """Upload the health card of a member. Replaces the generated document of the pending issue, else of
        the last one; later issues have their own documents. The file must be an intact PDF of at most 10
        MiB, sent within 15 seconds. Returns 422 when it is encrypted, contains scripts or embedded files,
        exceeds 100 MiB when unpacked, or does anything but lead to one of its pages or, by a link, to an
        address that begins with `http://`, `https://`, `mailto:` or `tel:`. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}', sends='pdf'), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'member_id': member_id}, {'issue': issue}, body, options)

    def delete_health_card_upload(self, user_id, insurance_policy_id, member_id, *, issue=None, **options):
        """Delete the upload of the health card of a member. Deletes the upload for the pending issue, else for
        the last one. The generated document is served again. Returns the deleted upload, or 404 when there
        is none. **Who may call:** benefit provider (own only), operator, owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}', keyed=True), {'user_id': user_id, 'insurance_policy_id': insurance_policy_id, 'member_id': member_id}, {'issue': issue}, None, options)

    def create_account(self, user_id, body, **options):
        """Open an account. Requests an account of this type from the account provider, fed by the bank account
        given at onboarding. It is PENDING until the provider confirms it, then ACTIVE. A user can have one
        account of each type. **Who may call:** platform (own only), app user (own only)"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/accounts', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_accounts(self, user_id, *, limit=None, offset=None, status=None, account_type=None, **options):
        """List the accounts of a user. Newest first. `status` and `account_type` may be repeated. **Who may
        call:** platform (own only), app user (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/accounts'), {'user_id': user_id}, {'limit': limit, 'offset': offset, 'status': status, 'account_type': account_type}, None, options)

    def list_all_accounts(self, *, limit=None, after=None, changed_after=None, status=None, account_type=None, order=None, **options):
        """List the accounts of all users. Last change first, then by id; small entries without personal data.
        Send `next` as `after`, with the same filters, until it is `null`. What does not change while you
        page is listed exactly once. What changes moves to the front: you can meet it twice, or miss it on
        the later pages, and find it again with `changed_after`. There is no total; `GET /v1/statistics`
        counts. Every change is a transition, so `last_modified_at` is the time since which an account has
        its status. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/accounts'), {}, {'limit': limit, 'after': after, 'changed_after': changed_after, 'status': status, 'account_type': account_type, 'order': order}, None, options)

    def read_account(self, user_id, account_id, **options):
        """Read an account. Send the `ETag` as `If-None-Match` to read the record again only if it has changed.
        **Who may call:** platform (own only), app user (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/accounts/{account_id}'), {'user_id': user_id, 'account_id': account_id}, {}, None, options)

    def read_account_status(self, user_id, account_id, **options):
        """Read the status of an account. Returns the current status and the transitions this caller may make.
        The ETag is the account’s. **Who may call:** platform (own only), app user (own only), viewer,
        operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/accounts/{account_id}/status'), {'user_id': user_id, 'account_id': account_id}, {}, None, options)

    def set_account_status(self, user_id, account_id, body, **options):
        """Set the status of an account. Transitions: ACTIVE to INACTIVE and back, PENDING to INACTIVE. Only
        the account provider can turn PENDING into ACTIVE. **Who may call:** operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/accounts/{account_id}/status', keyed=True), {'user_id': user_id, 'account_id': account_id}, {}, body, options)

    def create_account_provider(self, body, **options):
        """Create an account provider. A new account provider is `active`. **Who may call:** administrator key"""
        return self._call(dict(method='POST', path='/v1/account_providers', auth='admin_key', keyed=True), {}, {}, body, options)

    def list_account_providers(self, *, limit=None, offset=None, **options):
        """List account providers. Newest first. **Who may call:** administrator key"""
        return self._call(dict(method='GET', path='/v1/account_providers', auth='admin_key'), {}, {'limit': limit, 'offset': offset}, None, options)

    def read_account_provider(self, account_provider_id, **options):
        """Read an account provider. Send the `ETag` as `If-None-Match` to read the record again only if it has
        changed. **Who may call:** administrator key"""
        return self._call(dict(method='GET', path='/v1/account_providers/{account_provider_id}', auth='admin_key'), {'account_provider_id': account_provider_id}, {}, None, options)

    def update_account_provider(self, account_provider_id, body, **options):
        """Rename an account provider. Requires the administrator key, not a bearer token. **Who may call:**
        administrator key"""
        return self._call(dict(method='PATCH', path='/v1/account_providers/{account_provider_id}', auth='admin_key', keyed=True), {'account_provider_id': account_provider_id}, {}, body, options)

    def set_account_provider_status(self, account_provider_id, body, **options):
        """Set the status of an account provider. Transitions: `active` to `inactive` and back. New accounts
        are opened with the oldest active provider; existing accounts stay where they are. **Who may call:**
        administrator key"""
        return self._call(dict(method='PUT', path='/v1/account_providers/{account_provider_id}/status', auth='admin_key', keyed=True), {'account_provider_id': account_provider_id}, {}, body, options)

    def create_consultation(self, user_id, body, **options):
        """Open a consultation. A new consultation is OPEN. Benefit providers may open only their own, with
        users they insure or treat. A user can have a limited number of open consultations, 20 by default,
        and of new ones a day, 50 by default. **Who may call:** platform (own only), app user (own only),
        benefit provider (own only)"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/consultations', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_consultations(self, user_id, *, limit=None, offset=None, status=None, **options):
        """List the consultations of a user. Newest first. **Who may call:** platform (own only), app user (own
        only), benefit provider (own only), owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/consultations'), {'user_id': user_id}, {'limit': limit, 'offset': offset, 'status': status}, None, options)

    def list_all_consultations(self, *, limit=None, after=None, changed_after=None, status=None, unanswered_by=None, order=None, **options):
        """List the consultations of all users. Last change first, then by id; small entries without personal
        data. Send `next` as `after`, with the same filters, until it is `null`. What does not change while
        you page is listed exactly once. What changes moves to the front: you can meet it twice, or miss it
        on the later pages, and find it again with `changed_after`. There is no total; `GET /v1/statistics`
        counts. A message is a change, too. A benefit provider finds its own, a platform those of its users.
        **Who may call:** platform (own only), benefit provider (own only), owner"""
        return self._call(dict(method='GET', path='/v1/consultations'), {}, {'limit': limit, 'after': after, 'changed_after': changed_after, 'status': status, 'unanswered_by': unanswered_by, 'order': order}, None, options)

    def read_consultation(self, user_id, consultation_id, **options):
        """Read a consultation. Send the `ETag` as `If-None-Match` to read the record again only if it has
        changed. **Who may call:** platform (own only), app user (own only), benefit provider (own only),
        owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/consultations/{consultation_id}'), {'user_id': user_id, 'consultation_id': consultation_id}, {}, None, options)

    def set_consultation_status(self, user_id, consultation_id, body, **options):
        """Close a consultation. Transition: OPEN to CLOSED. A closed consultation accepts no messages. **Who
        may call:** platform (own only), app user (own only), benefit provider (own only)"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/consultations/{consultation_id}/status', keyed=True), {'user_id': user_id, 'consultation_id': consultation_id}, {}, body, options)

    def create_message(self, user_id, consultation_id, body, **options):
        """Write a message. The message shows the name of the user, platform or benefit provider that writes
        it. A user can write a limited number of messages a day, 500 by default. **Who may call:** platform
        (own only), app user (own only), benefit provider (own only)"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/consultations/{consultation_id}/messages', keyed=True), {'user_id': user_id, 'consultation_id': consultation_id}, {}, body, options)

    def list_messages(self, user_id, consultation_id, *, limit=None, offset=None, **options):
        """List the messages of a consultation. Oldest first. Messages are health data: of the administrators,
        only owners can read them. **Who may call:** platform (own only), app user (own only), benefit
        provider (own only), owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/consultations/{consultation_id}/messages', items='data.messages'), {'user_id': user_id, 'consultation_id': consultation_id}, {'limit': limit, 'offset': offset}, None, options)

    def list_all_wallets(self, *, limit=None, after=None, changed_after=None, wallet_status=None, wallet_status_partner=None, order=None, **options):
        """List the wallets of all users. Last change first, then by id; small entries without personal data.
        Send `next` as `after`, with the same filters, until it is `null`. What does not change while you
        page is listed exactly once. What changes moves to the front: you can meet it twice, or miss it on
        the later pages, and find it again with `changed_after`. There is no total; `GET /v1/statistics`
        counts. A booking is a change, too. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/wallets'), {}, {'limit': limit, 'after': after, 'changed_after': changed_after, 'wallet_status': wallet_status, 'wallet_status_partner': wallet_status_partner, 'order': order}, None, options)

    def read_user_wallet(self, user_id, **options):
        """Read the wallet of a user. Returns the wallet with its balance, for platforms that credit it, or 404
        until the user has created it with `POST /wallet/v1/wallet`. **Who may call:** platform (own only),
        viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/wallet'), {'user_id': user_id}, {}, None, options)

    def refresh_wallet(self, user_id, **options):
        """Ask the operator for the status of a wallet. Asks the operator now, and stores its status where it
        differs from what its events reported. Every wallet is asked for within a day anyway. 503 when the
        operator gives no definite response. **Who may call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/wallet/refresh', keyed=True), {'user_id': user_id}, {}, None, options)

    def retry_wallet(self, user_id, **options):
        """Provision a wallet again. Sets a FAILED wallet back to PENDING and provisions it again, with the
        same wallet id. **Who may call:** operator, owner"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/wallet/retry', keyed=True), {'user_id': user_id}, {}, None, options)

    def retry_wallets(self, body=None, **options):
        """Provision many wallets again. Sets FAILED wallets back to PENDING, each as `POST
        /v1/users/{user_id}/wallet/retry` does: those of `user_ids`, those of a platform, or those of all,
        the longest FAILED first. At most 100 at once; the others stay as they are. **Who may call:**
        operator, owner"""
        return self._call(dict(method='POST', path='/v1/wallets/retry', keyed=True), {}, {}, body, options)

    def list_one_time_codes(self, user_id, *, limit=None, offset=None, **options):
        """List the one-time codes of a user. What became of the requests of the last 24 hours, newest first,
        to help somebody who cannot sign in; never a code. Of refused requests, only the last one for the
        phone, if it was made at the user's platform. **Who may call:** platform (own only), operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/one_time_codes'), {'user_id': user_id}, {'limit': limit, 'offset': offset}, None, options)

    def credit_wallet(self, user_id, body, **options):
        """Credit a wallet. Adds paise to the wallet, booked against the platform’s own account, which has no
        limit: what stands behind it is between the platform and the wallet operator. Returns 404 until the
        user has created the wallet with `POST /wallet/v1/wallet`. **Who may call:** platform (own only),
        operator, owner"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/wallet/credits', keyed=True), {'user_id': user_id}, {}, body, options)

    def debit_wallet(self, user_id, body, **options):
        """Debit a wallet. Takes paise from the wallet, booked to the platform’s own account. Rejected when the
        balance is too low or the wallet is blocked. Returns 404 until the user has created the wallet with
        `POST /wallet/v1/wallet`. **Who may call:** platform (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/wallet/debits', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_user_wallet_transactions(self, user_id, *, limit=None, offset=None, from_=None, to=None, **options):
        """List the transactions of a user’s wallet. Newest first. Returns 404 until the user has created the
        wallet with `POST /wallet/v1/wallet`. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/wallet/transactions'), {'user_id': user_id}, {'limit': limit, 'offset': offset, 'from': from_, 'to': to}, None, options)

    def list_deposits(self, sponsor_id, *, limit=None, offset=None, **options):
        """List the deposits of a sponsor. One for each benefit provider that it has paid in at. A benefit
        provider sees its own. **Who may call:** platform (own only), benefit provider (own only), viewer,
        operator, owner"""
        return self._call(dict(method='GET', path='/v1/sponsors/{sponsor_id}/deposits'), {'sponsor_id': sponsor_id}, {'limit': limit, 'offset': offset}, None, options)

    def list_deposit_entries(self, sponsor_id, benefit_provider_id, *, limit=None, offset=None, from_=None, to=None, **options):
        """List the entries of a deposit. Newest first. Their sum is the balance. As CSV with `Accept:
        text/csv`: the statement of the deposit. **Who may call:** platform (own only), benefit provider
        (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries'), {'sponsor_id': sponsor_id, 'benefit_provider_id': benefit_provider_id}, {'limit': limit, 'offset': offset, 'from': from_, 'to': to}, None, options)

    def add_deposit_entry(self, sponsor_id, benefit_provider_id, body, **options):
        """Enter what a sponsor has paid in, or what was taken back. The benefit provider says what it has
        received: TOP_UP, from `paid_on` on; or that money is gone, as of a cheque that was returned:
        REVERSAL, which may leave the balance below zero and ends no policy. A benefit provider goes back 45
        days by default, an administrator further. `reference` is unique in the deposit: the same entry
        again returns the first with 200, another one is 409 `different_content`. **Who may call:** benefit
        provider (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries', keyed=True, inRupees=True), {'sponsor_id': sponsor_id, 'benefit_provider_id': benefit_provider_id}, {}, body, options)

    def set_deposit_low_below(self, sponsor_id, benefit_provider_id, body, **options):
        """Set the balance below which a deposit is low. The event `deposit.low` is sent once each time the
        balance falls below it. `null` sends none. A deposit can have one before anything was paid in. **Who
        may call:** platform (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/low_below', keyed=True, inRupees=True), {'sponsor_id': sponsor_id, 'benefit_provider_id': benefit_provider_id}, {}, body, options)

    def list_events(self, *, type=None, subject=None, order=None, limit=None, after=None, **options):
        """List events. The events of the last 30 days, oldest first, or newest first with `order=desc`. A
        platform gets its own events; a benefit provider those of its policies, their documents, its
        consultations, benefits, credentials and webhook endpoints. Send `next` as `after` to continue: at
        once while `has_more` is true, otherwise whenever you like. You then miss nothing and get nothing
        twice. With `type`, a page can be short or empty although `has_more` is true. Without `after` the
        list starts 30 days ago, with `after=latest` now. An event is listed once every write that began
        before it has finished, usually within milliseconds. Events about one record are in the order in
        which they happened. **Who may call:** platform (own only), benefit provider (own only), viewer,
        operator, owner"""
        return self._call(dict(method='GET', path='/v1/events'), {}, {'type': type, 'subject': subject, 'order': order, 'limit': limit, 'after': after}, None, options)

    def list_audit_log(self, *, actor=None, subject=None, action=None, from_=None, to=None, order=None, limit=None, after=None, **options):
        """List the audit log. Changes, reads of sealed personal data, revocations, and administrator tokens
        made on the command line; oldest first, or newest first with `order=desc`. Send `next` as `after`,
        with the same `order` and filters, to continue. With a filter, a page can be short or empty although
        `has_more` is true. Owners read all of it, everybody else what they have done themselves, which is
        `actor=me`. **Who may call:** viewer (own only), operator (own only), owner"""
        return self._call(dict(method='GET', path='/v1/audit_log'), {}, {'actor': actor, 'subject': subject, 'action': action, 'from': from_, 'to': to, 'order': order, 'limit': limit, 'after': after}, None, options)

    def list_access_log(self, user_id, *, limit=None, after=None, **options):
        """List accesses to a user’s data. Newest first. A read is listed within a second. Send `next` as
        `after` to continue. **Who may call:** platform (own only), app user (own only), owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/access_log'), {'user_id': user_id}, {'limit': limit, 'after': after}, None, options)

    def list_exposure(self, *, credential_id=None, from_=None, to=None, limit=None, after=None, **options):
        """List what a credential has read or changed. After a credential was stolen: the persons whose data
        was read or changed with it, also through tokens of users that were issued with it, each operation
        on each person once, in the order in which that began. Owners see every credential and session, a
        platform its own credentials, revoked ones too. Entries of the audit name the credential since
        version 0.3.0. Send `next` as `after` to continue; a page can be short or empty although `has_more`
        is true. **Who may call:** platform (own only), owner"""
        return self._call(dict(method='GET', path='/v1/exposure'), {}, {'credential_id': credential_id, 'from': from_, 'to': to, 'limit': limit, 'after': after}, None, options)

    def read_statistics(self, *, platform_id=None, **options):
        """Count by state. How many policies, endorsements, accounts, wallets and users there are in each
        state, how many events and webhook deliveries wait, and how many events there were in each hour of
        the last day. A worker counts twice a minute; `as_of` is the time of counting. A platform gets its
        own counts, a benefit provider those of its policies, endorsements, consultations and webhook
        deliveries: the others are 0. **Who may call:** platform (own only), benefit provider (own only),
        viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/statistics'), {}, {'platform_id': platform_id}, None, options)

    def list_state_machines(self, **options):
        """List state machines. Every kind of record with states: its states, the transitions between them, who
        may make each, which of them the calendar makes, and the event. Read from the tables that guard the
        records. **Who may call:** platform, app user, benefit provider, viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/meta/state_machines'), {}, {}, None, options)

    def read_state_machine(self, state_machine_name, **options):
        """Read a state machine. The states of one kind of record, as in the list. **Who may call:** platform,
        app user, benefit provider, viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/meta/state_machines/{state_machine_name}'), {'state_machine_name': state_machine_name}, {}, None, options)

    def list_permissions(self, **options):
        """List permissions. Every operation with the kinds of callers that may call it, and whether each
        reaches records of its own only. Read from the table that guards the operations; a page draws it at
        [/docs/permissions](/docs/permissions). **Who may call:** platform, app user, benefit provider,
        viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/meta/permissions'), {}, {}, None, options)

    def create_webhook_endpoint(self, body, **options):
        """Create a webhook endpoint. New events are posted to the URL, signed according to Standard Webhooks
        with the `secret` in this response. At most 20 endpoints. **Who may call:** platform (own only),
        benefit provider (own only), operator (own only), owner (own only)"""
        return self._call(dict(method='POST', path='/v1/webhook_endpoints', keyed=True), {}, {}, body, options)

    def list_webhook_endpoints(self, *, limit=None, offset=None, owner=None, failing=None, **options):
        """List webhook endpoints. Newest first, without secrets. Administrators share theirs; operators and
        owners read those of a partner with `owner`, and with `failing=true` those of all partners that
        fail. **Who may call:** platform (own only), benefit provider (own only), viewer (own only),
        operator, owner"""
        return self._call(dict(method='GET', path='/v1/webhook_endpoints'), {}, {'limit': limit, 'offset': offset, 'owner': owner, 'failing': failing}, None, options)

    def read_webhook_endpoint(self, webhook_endpoint_id, **options):
        """Read a webhook endpoint. The secret is not returned. **Who may call:** platform (own only), benefit
        provider (own only), viewer (own only), operator, owner"""
        return self._call(dict(method='GET', path='/v1/webhook_endpoints/{webhook_endpoint_id}'), {'webhook_endpoint_id': webhook_endpoint_id}, {}, None, options)

    def update_webhook_endpoint(self, webhook_endpoint_id, body, **options):
        """Update a webhook endpoint. Top-level JSON merge patch (RFC 7396). `DISABLED` stops deliveries;
        `ACTIVE` resumes pending ones. Events that happened while it was disabled are sent only by a replay.
        **Who may call:** platform (own only), benefit provider (own only), operator (own only), owner (own
        only)"""
        return self._call(dict(method='PATCH', path='/v1/webhook_endpoints/{webhook_endpoint_id}', keyed=True), {'webhook_endpoint_id': webhook_endpoint_id}, {}, body, options)

    def delete_webhook_endpoint(self, webhook_endpoint_id, **options):
        """Delete a webhook endpoint. Stops deliveries and deletes their log. **Who may call:** platform (own
        only), benefit provider (own only), operator (own only), owner (own only)"""
        return self._call(dict(method='DELETE', path='/v1/webhook_endpoints/{webhook_endpoint_id}', keyed=True), {'webhook_endpoint_id': webhook_endpoint_id}, {}, None, options)

    def rotate_webhook_secret(self, webhook_endpoint_id, **options):
        """Rotate the secret of a webhook endpoint. For 24 hours deliveries are signed with both the new and
        the previous secret, then with the new one only. **Who may call:** platform (own only), benefit
        provider (own only), operator (own only), owner (own only)"""
        return self._call(dict(method='POST', path='/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret', keyed=True), {'webhook_endpoint_id': webhook_endpoint_id}, {}, None, options)

    def test_webhook_endpoint(self, webhook_endpoint_id, **options):
        """Send a test event to a webhook endpoint. Queues a `webhook_endpoint.tested` event for this endpoint
        only, whatever its `event_types`. **Who may call:** platform (own only), benefit provider (own
        only), operator (own only), owner (own only)"""
        return self._call(dict(method='POST', path='/v1/webhook_endpoints/{webhook_endpoint_id}/test', keyed=True), {'webhook_endpoint_id': webhook_endpoint_id}, {}, None, options)

    def list_webhook_deliveries(self, webhook_endpoint_id, *, limit=None, offset=None, status=None, **options):
        """List the deliveries of a webhook endpoint. Deliveries of the last 30 days with their attempts,
        newest event first. **Who may call:** platform (own only), benefit provider (own only), viewer (own
        only), operator, owner"""
        return self._call(dict(method='GET', path='/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries'), {'webhook_endpoint_id': webhook_endpoint_id}, {'limit': limit, 'offset': offset, 'status': status}, None, options)

    def replay_webhook_delivery(self, webhook_endpoint_id, delivery_id, **options):
        """Replay a delivery. Queues the delivery again, with ten new attempts. The event keeps its id. **Who
        may call:** platform (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries/{delivery_id}/replay', keyed=True), {'webhook_endpoint_id': webhook_endpoint_id, 'delivery_id': delivery_id}, {}, None, options)

    def replay_webhook_events(self, webhook_endpoint_id, body, **options):
        """Replay events of a time range. Queues every event of the time range that matches the `event_types`
        of the endpoint, including events already delivered and those missed while it was disabled; with
        `status` `FAILED` only those whose delivery has failed. With `dry_run` nothing is queued, and
        `queued` says how many would be. Events are kept for 30 days; at most 10,000 can be replayed at
        once. **Who may call:** platform (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/webhook_endpoints/{webhook_endpoint_id}/replay', keyed=True), {'webhook_endpoint_id': webhook_endpoint_id}, {}, body, options)

    def create_import(self, body, *, kind=None, check_only=None, platform_id=None, **options):
        """Import a list in one file. Takes a list in one file, as CSV or as JSON Lines in UTF-8: up to 100,000
        rows and 64 MiB, sent within 15 seconds. [/docs/partners/imports](/docs/partners/imports) has the
        columns. Every row is checked with the checks of the single calls; then the rows without an error
        are written one by one, as the single calls would. `check_only` ends after the check. The response
        comes when the file has arrived; the import itself goes on, and `GET /v1/imports/{import_id}` says
        how far it is. The same file again is the same import, a 200: it goes on where it stopped, rows with
        errors are tried again, and what is done is not done twice. So there is no `Idempotency-Key`. **Who
        may call:** platform (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/imports', repeatable=True, sends='csv'), {}, {'kind': kind, 'check_only': check_only, 'platform_id': platform_id}, body, options)

    def read_import(self, import_id, **options):
        """Read an import. How far it is, and what became of its rows. It is kept for 30 days after its last
        change. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/imports/{import_id}'), {'import_id': import_id}, {}, None, options)

    def list_import_rows(self, import_id, *, limit=None, offset=None, outcome=None, **options):
        """List the rows of an import. The report, in the order of the file: an entry for each row that is
        done, and one for each error of the others. It names row, column and ids, and never repeats what the
        file says. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/imports/{import_id}/rows'), {'import_id': import_id}, {'limit': limit, 'offset': offset, 'outcome': outcome}, None, options)

    def create_comparison(self, body, *, kind=None, master_policy_number=None, sponsor_id=None, benefit_provider_id=None, from_=None, on=None, **options):
        """Compare a file with what is stored. Takes a file of a benefit provider or its administrator (TPA),
        as CSV in UTF-8: up to 100,000 rows and 64 MiB. `members` is the member file of one group policy;
        the columns are those of `POST /v1/members/search`. `deposit` is the statement of a deposit; the
        columns are those of `GET /v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries`, or the
        usual ones of a statement. The file of either compares without a difference. The response comes when
        all is compared, with the number of differences of each kind; `GET
        /v1/comparisons/{comparison_id}/differences` lists them. Nothing else is changed. The same file has
        the same response as long as nothing has changed here.
        [/docs/partners/comparing](/docs/partners/comparing) has the columns. **Who may call:** platform
        (own only), benefit provider (own only), operator, owner"""
        return self._call(dict(method='POST', path='/v1/comparisons', sends='csv'), {}, {'kind': kind, 'master_policy_number': master_policy_number, 'sponsor_id': sponsor_id, 'benefit_provider_id': benefit_provider_id, 'from': from_, 'on': on}, body, options)

    def read_comparison(self, comparison_id, **options):
        """Read a comparison. Send the `ETag` as `If-None-Match` to read the record again only if it has
        changed. **Who may call:** platform (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/comparisons/{comparison_id}'), {'comparison_id': comparison_id}, {}, None, options)

    def list_differences(self, comparison_id, *, limit=None, offset=None, difference=None, **options):
        """List the differences of a comparison. In the order of the file, then who is covered and has no row,
        or which entry has none. It names rows, columns and ids, and never repeats what the file says. **Who
        may call:** platform (own only), benefit provider (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/comparisons/{comparison_id}/differences'), {'comparison_id': comparison_id}, {'limit': limit, 'offset': offset, 'difference': difference}, None, options)

    def set_notice(self, version, language, body, **options):
        """Set a notice of the platform. What the platform says to people before they consent: itemised, in one
        language. Returns 201 when it is new. Once a consent names it, it is evidence and cannot be changed:
        give the next one another version. **Who may call:** platform (own only)"""
        return self._call(dict(method='PUT', path='/v1/notices/{version}/{language}', keyed=True), {'version': version, 'language': language}, {}, body, options)

    def read_notice(self, version, language, **options):
        """Read a notice of the platform. Send the `ETag` as `If-None-Match` to read the record again only if
        it has changed. **Who may call:** platform (own only), app user (own only)"""
        return self._call(dict(method='GET', path='/v1/notices/{version}/{language}'), {'version': version, 'language': language}, {}, None, options)

    def give_consent(self, user_id, body, **options):
        """Record a consent. The consent of a person to one purpose, on a notice that was set before. Who is
        below 18 by the stored birth has a PARENT or GUARDIAN consent, who is 18. `children` is the consent
        of the user for the children they register within 24 hours of it. What names the notice makes it
        unchangeable. **Who may call:** platform (own only), app user (own only)"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/consents', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_consents(self, user_id, *, limit=None, offset=None, **options):
        """List the consents of a user. Newest first, with those that were withdrawn. **Who may call:**
        platform (own only), app user (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/consents'), {'user_id': user_id}, {'limit': limit, 'offset': offset}, None, options)

    def withdraw_consent(self, user_id, consent_id, **options):
        """Withdraw a consent. Stops what is new for its purpose, where the platform has such a rule; it ends
        no policy and moves no money. The consent stays in the list with `withdrawn_at`. The event
        `consent.withdrawn` asks the platform and the person’s benefit providers for what follows from it.
        **Who may call:** platform (own only), app user (own only)"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/consents/{consent_id}', keyed=True), {'user_id': user_id, 'consent_id': consent_id}, {}, None, options)

    def read_consent_rules(self, platform_id, **options):
        """Read the consent rules of a platform. Send the `ETag` as `If-None-Match` to read the record again
        only if it has changed. **Who may call:** platform (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/platforms/{platform_id}/consent_rules'), {'platform_id': platform_id}, {}, None, options)

    def set_consent_rules(self, platform_id, body=None, **options):
        """Replace the consent rules of a platform. From the day of a rule on, what is new for its purpose is a
        409 `consent_missing` without a consent; with the ground LEGITIMATE_USE it needs none. `insurance`:
        to enrol, and to join a member; `children`: to register a dependant below 18; `care`: to open a
        consultation; `wallet`: to create one; `accounts`: to open one, also by onboarding. A purpose
        without a rule is not checked. A change holds within five seconds. **Who may call:** platform (own
        only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/platforms/{platform_id}/consent_rules', keyed=True), {'platform_id': platform_id}, {}, body, options)

    def create_rights_request(self, user_id, body, **options):
        """Ask the platform by the law on personal data. Records what a person asks for: access, correction,
        erasure, a nomination, or a grievance. It is RECEIVED, and due within the platform’s
        `response_days`: 90 unless it set another number, and never more for a grievance. The request itself
        changes nothing else. **Who may call:** platform (own only), app user (own only)"""
        return self._call(dict(method='POST', path='/v1/users/{user_id}/rights_requests', keyed=True), {'user_id': user_id}, {}, body, options)

    def list_rights_requests(self, user_id, *, limit=None, offset=None, **options):
        """List what a user has asked by the law on personal data. Newest first. **Who may call:** platform
        (own only), app user (own only), viewer, operator, owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/rights_requests'), {'user_id': user_id}, {'limit': limit, 'offset': offset}, None, options)

    def set_rights_request_state(self, user_id, request_id, body, **options):
        """Set the state of a rights request. Transitions: RECEIVED to IN_PROGRESS, then ANSWERED or, with a
        reason, REFUSED. **Who may call:** platform (own only), operator, owner"""
        return self._call(dict(method='PUT', path='/v1/users/{user_id}/rights_requests/{request_id}/state', keyed=True), {'user_id': user_id, 'request_id': request_id}, {}, body, options)

    def export_user(self, user_id, **options):
        """Export everything about a user. One JSON document with everything about the person: profile, all
        versions of dependants, policies and their ends, accounts, consultations with their messages, wallet
        and bookings, who has access, uploaded documents, wallet sessions, a scheduled erasure, status
        changes, and the access log. Policy documents are not included; download them from the URLs in each
        policy. `schema` is the URL of the JSON Schema. By default, a caller may export a user ten times an
        hour. **Who may call:** platform (own only), app user (own only), owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/export'), {'user_id': user_id}, {}, None, options)

    def preview_user_erasure(self, user_id, **options):
        """Preview the erasure of a user. What `DELETE …/users/{user_id}` would do now: when, what prevents it,
        and what would become of each field. Changes nothing, and decrypts nothing. **Who may call:**
        platform (own only), owner"""
        return self._call(dict(method='GET', path='/v1/users/{user_id}/erasure'), {'user_id': user_id}, {}, None, options)

    def cancel_erasure(self, user_id, **options):
        """Cancel the erasure of a user. Possible during the notice period, if there is one. Without a
        scheduled erasure, `cancelled` is `false`. Returns 404 for a user who was erased. **Who may call:**
        platform (own only), owner"""
        return self._call(dict(method='DELETE', path='/v1/users/{user_id}/erasure', keyed=True), {'user_id': user_id}, {}, None, options)

    def request_otp(self, body, **options):
        """Request a one-time code. Sends a six-digit code to the phone, valid for five minutes. The response
        is the same for an unknown phone. An unknown platform is a 404 outside production; in production it
        counts for the IP address only. Limits by default: once in 30 seconds and five times an hour for a
        phone, 300 times an hour for a network address. **Who may call:** anyone, without a token"""
        return self._call(dict(method='POST', path='/wallet/v1/auth/otp', auth='none'), {}, {}, body, options)

    def verify_otp(self, body, **options):
        """Exchange a one-time code for a token pair. A code works once; five wrong codes end the challenge. By
        default, an IP address may send 30 wrong codes an hour. **Who may call:** anyone, without a token"""
        return self._call(dict(method='POST', path='/wallet/v1/auth/otp/verify', auth='none'), {}, {}, body, options)

    def refresh_wallet_token(self, body, **options):
        """Refresh a token pair. A refresh token works once. Reusing one ends the session, except that sending
        the last one again within ten seconds returns the same pair. Sessions end after 30 days without use,
        and after 90 days in any case. **Who may call:** anyone, without a token"""
        return self._call(dict(method='POST', path='/wallet/v1/auth/token/refresh', auth='none', repeatable=True), {}, {}, body, options)

    def log_out_of_wallet(self, body, **options):
        """End a session. Ends the session of the refresh token; its access tokens stop working within a
        second. Always returns 200. **Who may call:** anyone, without a token"""
        return self._call(dict(method='POST', path='/wallet/v1/auth/logout', auth='none', repeatable=True), {}, {}, body, options)

    def create_wallet(self, **options):
        """Create the wallet. A user has one wallet. Returns 201 and `created: true` when the call created it,
        200 and `created: false` when it existed. A FAILED wallet is provisioned again. Only the user
        creates a wallet, after signing in with a one-time code: a platform cannot. **Who may call:** wallet
        user (own only)"""
        return self._call(dict(method='POST', path='/wallet/v1/wallet', auth='wallet_bearer', keyed=True), {}, {}, None, options)

    def read_wallet(self, **options):
        """Read the wallet. Returns the caller’s wallet, or 404 until it is created. **Who may call:** wallet
        user (own only)"""
        return self._call(dict(method='GET', path='/wallet/v1/wallet', auth='wallet_bearer'), {}, {}, None, options)

    def read_wallet_status(self, wallet_id, **options):
        """Read the status of a wallet. Returns the provisioning status. `wallet_id` is the `partner_wallet_id`
        of the wallet. **Who may call:** wallet user (own only)"""
        return self._call(dict(method='GET', path='/wallet/v1/wallet/{wallet_id}/status', auth='wallet_bearer'), {'wallet_id': wallet_id}, {}, None, options)

    def receive_operator_event(self, body, **options):
        """Receive a status from the operator. Signed by the operator. Signatures older than five minutes are
        rejected. A repeated event, or one with an older `sequence`, changes nothing. An event that
        contradicts what is known, because another status came under that `sequence` or a later one, or
        something else under that `event_id`, has the operator asked for the status within seconds; so has a
        `sequence` more than 1,000,000 ahead, which is a 422. BLOCKED counts at once; ACTIVE unblocks a
        wallet if the operator, which is then asked, responds the same, otherwise when it does. **Who may
        call:** the wallet operator"""
        return self._call(dict(method='POST', path='/wallet/v1/operator/events', auth='signature'), {}, {}, body, options)

    def list_wallet_transactions(self, *, limit=None, offset=None, from_=None, to=None, **options):
        """List the transactions of the wallet. Newest first. Returns 404 until the user has created the wallet
        with `POST /wallet/v1/wallet`. **Who may call:** wallet user (own only)"""
        return self._call(dict(method='GET', path='/wallet/v1/wallet/transactions', auth='wallet_bearer'), {}, {'limit': limit, 'offset': offset, 'from': from_, 'to': to}, None, options)

    def read_keys(self, **options):
        """Read the public keys. Keys to verify access tokens with (RFC 7517). During a rotation there are
        several. **Who may call:** anyone, without a token"""
        return self._call(dict(method='GET', path='/.well-known/jwks.json', auth='none'), {}, {}, None, options)

    def read_authorization_server(self, **options):
        """Read the authorization server metadata. Metadata of the authorization server (RFC 8414). **Who may
        call:** anyone, without a token"""
        return self._call(dict(method='GET', path='/.well-known/oauth-authorization-server', auth='none'), {}, {}, None, options)

    def check_health_card(self, token, **options):
        """Check a health card. Target of the code on a health card or certificate, whose URL is shorter:
        `/C/{token}`. Returns the cover today, as JSON or as an HTML page. For a code that is not signed by
        this service, or belongs to nobody, the result is `not_valid`, without the other fields. The card of
        somebody who is covered, but was corrected and issued again since, has `newer_card`. The code is
        read in either case. **Who may call:** anyone, without a token"""
        return self._call(dict(method='GET', path='/verify/health_card/{token}', auth='none'), {'token': token}, {}, None, options)
