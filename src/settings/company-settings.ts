import { type Settings, WEB_URL } from '../kernel/settings/setting.ts'

/** Settings of the external companies, and of the administrators’ login. */
export const COMPANY_SETTINGS = {
  ACCOUNT_PROVIDER_API: {
    kind: 'choice',
    values: ['http'],
    meaning: 'how the account provider is called: `http` is JSON over HTTP, as the sandbox speaks it',
    fallback: 'http',
  },
  ACCOUNT_PROVIDER_URL: {
    ...WEB_URL,
    meaning: 'base URL of the account provider; accounts are requested at `POST $ACCOUNT_PROVIDER_URL/accounts`',
    fallbackText: 'the sandbox',
    required: 'in production',
  },
  ACCOUNT_PROVIDER_API_KEY: {
    kind: 'text',
    meaning: 'bearer token for it',
    fallbackText: '`sandbox`',
    required: 'in production',
    secret: true,
  },
  OPERATOR_API: {
    kind: 'choice',
    values: ['http'],
    meaning: 'how the wallet operator is called: `http` is JSON over HTTP, as the sandbox speaks it',
    fallback: 'http',
  },
  OPERATOR_URL: {
    ...WEB_URL,
    meaning: 'base URL of the wallet operator: `POST $OPERATOR_URL/wallets`, `GET $OPERATOR_URL/wallets/{reference}`',
    fallbackText: 'the sandbox',
    required: 'in production',
  },
  OPERATOR_API_KEY: {
    kind: 'text',
    meaning: 'bearer token for it',
    fallbackText: '`sandbox`',
    required: 'in production',
    secret: true,
  },
  OPERATOR_SECRET: {
    kind: 'text',
    meaning: 'secret shared with the operator, which signs its events at `/wallet/v1/operator/events`',
    fallbackText: 'that of the sandbox',
    required: 'in production',
    secret: true,
  },
  OPERATOR_STATUS_HOURS: {
    kind: 'integer',
    min: 1,
    max: 720,
    meaning:
      'within how many hours the operator is asked for the status of every wallet that it holds, 1 to 720; an event of it that ' +
      'was lost counts until then',
    fallback: '24',
  },
  SMS_GATEWAY: {
    kind: 'choice',
    values: ['sandbox', 'twilio'],
    meaning: 'sends the one-time codes: `sandbox` (not in production) or `twilio`',
    fallbackText: '`sandbox`; in production `twilio`',
  },
  SMS_AUTOFILL: {
    kind: 'text',
    meaning:
      'what the message of a one-time code ends with, so that an app or a page can fill it in: a domain, such as ' +
      '`app.example.com`, or the 11 characters of an Android app. Register the text with your carriers first',
    fallbackText: 'nothing',
  },
  TWILIO_ACCOUNT_SID: { kind: 'text', meaning: 'account at Twilio', required: 'when `SMS_GATEWAY` is `twilio`' },
  TWILIO_AUTH_TOKEN: { kind: 'text', meaning: 'its token', required: 'when `SMS_GATEWAY` is `twilio`', secret: true },
  TWILIO_FROM: { kind: 'text', meaning: 'the sender', required: 'when `SMS_GATEWAY` is `twilio`' },
  TWILIO_URL: { ...WEB_URL, meaning: 'base URL of its API', fallback: 'https://api.twilio.com' },
  WEBHOOK_PORTS: {
    kind: 'text',
    meaning: 'ports allowed for webhook endpoints, which are https and on the public internet',
    fallback: '443,8443',
  },
  WEBHOOK_LOOPBACK: {
    kind: 'flag',
    meaning: 'webhook endpoints may also be on this machine, over http and on any port; never in production',
    fallbackText: '`true`; in production `false`',
  },
  OIDC_ISSUER: {
    ...WEB_URL,
    meaning:
      'identity provider of the administrators, exactly as its `iss`; https in production. Register ' +
      'these redirect URLs there: `$PUBLIC_URL/v1/auth/oidc/callback`, and for logout ' +
      '`$PUBLIC_URL/docs` and `$PUBLIC_URL/dashboard`',
    fallbackText: 'the sandbox; in production nobody can log in',
  },
  OIDC_CLIENT_ID: { kind: 'text', meaning: 'our client id at the provider', required: 'when `OIDC_ISSUER` is set' },
  OIDC_CLIENT_SECRET: {
    kind: 'text',
    meaning: 'our client secret there',
    required: 'when `OIDC_ISSUER` is set',
    secret: true,
  },
  OIDC_SCOPE: {
    kind: 'text',
    meaning: 'requested scopes; some providers send groups only for a scope of their own',
    fallback: 'openid profile email',
  },
  OIDC_ROLE_CLAIM: {
    kind: 'text',
    meaning: "the claim with a person's roles, or the path to it: `realm_access.roles`",
    fallback: 'roles',
  },
  OIDC_ROLES: {
    kind: 'text',
    meaning:
      '`value=role`, comma separated: which value of the claim gives which role. The highest role ' +
      'counts; people without one are refused. `platform:{id}` and `benefit_provider:{id or code}` ' +
      "give a partner's person exactly the rights of the partner's tokens, as in " +
      "`north-desk=benefit_provider:NORTH`. At the sandbox's identity provider, `desk` and `support` are also people of the " +
      'demo insurer and the demo platform, which every start outside production creates',
    fallback: 'viewer=viewer,operator=operator,owner=owner',
  },
  OIDC_REQUIRED_ACR: {
    kind: 'text',
    meaning:
      'comma-separated strengths of a login, as the provider names them in `acr`: they are requested ' +
      '(`acr_values`), and a login whose ID token has none of them is refused',
    fallbackText: 'any login is accepted',
  },
} as const satisfies Settings
