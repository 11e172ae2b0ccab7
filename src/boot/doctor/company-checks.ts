import type { Inspected } from '../../settings/config.ts'
import { callJson } from '../../kernel/outbound/call-json.ts'
import type { Certificate } from '../../kernel/outbound/read-certificate.ts'
import { systemClock } from '../../kernel/clock.ts'
import { fetchCertificate, discoveryUrl, encryptedUrls } from '../watch-companies.ts'
import { type Check, failing, type Finding, ok, describeReason, skipped, warning } from './finding.ts'

const TIMEOUT_MS = 4_000
const DAY_MS = 86_400_000
const DAYS_MIN = 21
const RENEW = 'Renew it on that server.'

type Config = Inspected['config']

/** Checks of the external companies, as far as asking changes nothing there. */
export function companyChecks(config: Config): Check[] {
  const accountProvider = { ...config.accountProvider, address: `${config.accountProvider.url}/accounts` }
  const operator = { ...config.operator, address: `${config.operator.url}/wallets` }
  return [
    { name: 'login', run: () => checkLogin(config) },
    { name: 'sms', run: () => checkSms(config) },
    { name: 'account provider', run: () => checkCompany(config, 'ACCOUNT_PROVIDER', accountProvider) },
    { name: 'wallet operator', run: () => checkCompany(config, 'OPERATOR', operator) },
    { name: 'certificates', run: (signal) => checkCertificates(config, signal) },
  ]
}

const read = (url: string, headers: Record<string, string> = {}) =>
  callJson({ company: 'doctor', method: 'GET', url, headers, timeout_ms: TIMEOUT_MS })

/** Returns the finding for a company that does not respond; in development the sandbox may simply not run. */
function silent(config: Config, { url, settings, error }: { url: string; settings: string; error: unknown }): Finding {
  if (!config.production && new URL(url).host === `localhost:${config.sandboxPort}`)
    return skipped('the sandbox stands in for it, and is not running')
  return failing(
    `Nothing responds at ${new URL(url).origin}: ${describeReason(error)}.`,
    `Correct ${settings}, the DNS or the way there. NODE_EXTRA_CA_CERTS names a certificate authority of your own.`,
  )
}

async function checkLogin(config: Config): Promise<Finding> {
  const { oidc } = config
  if (!oidc)
    return warning(
      'Nobody can log in: there is no identity provider.',
      'Set OIDC_ISSUER, if administrators shall log in.',
    )
  const url = discoveryUrl(oidc.issuer)
  try {
    const { status, body } = await read(url)
    if (status !== 200 || typeof body !== 'object' || body === null)
      return failing(
        `The identity provider responds ${status} to ${url}.`,
        'Set OIDC_ISSUER to the address that the provider names as its `iss`.',
      )
    const { issuer, jwks_uri: keysUrl } = body as Metadata
    if (issuer !== oidc.issuer)
      return failing(
        'The identity provider names itself differently from OIDC_ISSUER.',
        `Set OIDC_ISSUER to ${JSON.stringify(issuer)}.`,
      )
    const keys = typeof keysUrl === 'string' ? await read(keysUrl) : undefined
    if (keys?.status !== 200 || !Array.isArray((keys.body as { keys?: unknown } | undefined)?.keys))
      return failing('The keys of the identity provider cannot be read.', 'Open the way to its `jwks_uri`.')
    return (await checkClient(oidc, body)) ?? ok(`${oidc.issuer} responds, with its keys`)
  } catch (error) {
    return silent(config, { url, settings: 'OIDC_ISSUER', error })
  }
}

type Metadata = {
  issuer?: unknown
  jwks_uri?: unknown
  token_endpoint?: unknown
  token_endpoint_auth_methods_supported?: unknown
}

const NO_CODE = { grant_type: 'authorization_code', code: 'doctor', redirect_uri: 'urn:ietf:wg:oauth:2.0:oob' }

/** Sends a code that does not exist: the provider first says whether it accepts id and secret. Undefined when it does. */
async function checkClient(
  { clientId, clientSecret }: NonNullable<Config['oidc']>,
  { token_endpoint: url, token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: Metadata,
): Promise<Finding | undefined> {
  if (typeof url !== 'string' || !Array.isArray(methods)) return undefined
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const basic = Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')
  const ways: { name: string; headers?: Record<string, string>; more?: Record<string, string> }[] = [
    { name: 'client_secret_basic', headers: { authorization: `Basic ${basic}` } },
    { name: 'client_secret_post', more: { client_id: clientId, client_secret: clientSecret } },
  ]
  const errors: unknown[] = []
  for (const { name, headers = {}, more = {} } of ways) {
    if (!methods.includes(name)) continue
    const body = new URLSearchParams({ ...NO_CODE, ...more })
    const response = await callJson({ company: 'doctor', method: 'POST', url, headers, body, timeout_ms: TIMEOUT_MS })
    const { error } = (response.body ?? {}) as { error?: unknown }
    if (response.status !== 401 && error !== 'invalid_client' && error !== 'unauthorized_client') return undefined
    errors.push(error ?? response.status)
  }
  if (errors.length === 0) return undefined
  return failing(
    `The identity provider rejects this installation: ${errors.join(', ')}.`,
    'Correct OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or how the client may authenticate there.',
  )
}

async function checkSms(config: Config): Promise<Finding> {
  const { gateway } = config.sms
  const { url, urlSetting, headers, settings } = smsAccount(config.sms)
  try {
    const { status } = await read(url, headers)
    if (status === 200) return ok(`${gateway} responds and accepts the account; nothing was sent`)
    return failing(`The SMS gateway responds ${status} to a question about the account.`, `Check ${settings}.`)
  } catch (error) {
    return silent(config, { url, settings: urlSetting, error })
  }
}

type SmsAccount = { url: string; urlSetting: string; headers: Record<string, string>; settings: string }

/** Returns where a gateway says something about our account, and the settings that lead there. */
function smsAccount(sms: Config['sms']): SmsAccount {
  switch (sms.gateway) {
    case 'sandbox':
      return { url: `${sms.url}/messages`, urlSetting: 'SANDBOX_PORT', headers: {}, settings: 'SANDBOX_PORT' }
    case 'twilio':
      return {
        url: `${sms.url}/2010-04-01/Accounts/${encodeURIComponent(sms.accountSid)}.json`,
        urlSetting: 'TWILIO_URL',
        headers: { authorization: `Basic ${Buffer.from(`${sms.accountSid}:${sms.authToken}`).toString('base64')}` },
        settings: 'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_URL',
      }
  }
}

type Company = { address: string; apiKey: string }

/**
 * Reads where records are created: a company that knows the address responds with anything but a 404. The names of its
 * settings begin with `name`.
 */
async function checkCompany(config: Config, name: string, { address, apiKey }: Company): Promise<Finding> {
  try {
    const { status } = await read(address, { authorization: `Bearer ${apiKey}` })
    if (status === 401 || status === 403)
      return failing(`It responds ${status}: it rejects our key.`, `Correct ${name}_API_KEY.`)
    if (status === 404)
      return warning(
        `It responds 404 to GET ${address}.`,
        `Unless it knows only POST there, the path in ${name}_URL is wrong: it is the base URL of its API.`,
      )
    if (status >= 500) return failing(`It responds ${status}.`, 'Ask the company; what is pending is repeated.')
    return ok(`${address} responds`)
  } catch (error) {
    return silent(config, { url: address, settings: `${name}_URL`, error })
  }
}

async function checkCertificates(config: Config, signal: AbortSignal): Promise<Finding | Finding[]> {
  const urls = encryptedUrls(config)
  if (urls.length === 0) return skipped('no address uses https')
  return Promise.all(urls.map(([setting, url]) => checkCertificate(setting, new URL(url), signal)))
}

async function checkCertificate(setting: string, url: URL, signal: AbortSignal): Promise<Finding> {
  try {
    const certificate = await fetchCertificate(url, signal)
    if (certificate === undefined)
      return failing(`The server of ${setting} has no TLS.`, 'Switch it on there, or remove sslmode.')
    return judge(setting, certificate)
  } catch (error) {
    if (signal.aborted) throw error
    return failing(
      `No certificate was received from ${setting}: ${describeReason(error)}.`,
      `Check ${setting} and what responds there.`,
    )
  }
}

function judge(setting: string, { validUntil, error }: Certificate): Finding {
  if (error === 'CERT_HAS_EXPIRED') return failing(`The certificate of ${setting} has expired.`, RENEW)
  if (error !== null)
    return failing(
      `The certificate of ${setting} is not trusted: ${error}.`,
      'Install the whole chain there, or name your own certificate authority in NODE_EXTRA_CA_CERTS.',
    )
  const days = Math.floor((validUntil.getTime() - systemClock.now().getTime()) / DAY_MS)
  if (days < DAYS_MIN) return warning(`The certificate of ${setting} expires in ${days} days.`, RENEW)
  return ok(`the certificate of ${setting} is valid for ${days} more days`)
}
