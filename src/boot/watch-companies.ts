import type { Config } from '../settings/config.ts'
import { systemClock } from '../kernel/clock.ts'
import { startPeriodic } from '../kernel/jobs/periodic.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { callJson } from '../kernel/outbound/call-json.ts'
import { bare } from '../kernel/outbound/public-address.ts'
import { type Certificate, readCertificate } from '../kernel/outbound/read-certificate.ts'

const HTTPS_PORT = 443
const POSTGRES_PORT = 5432
const CERTIFICATES_EVERY_MS = 10 * 60_000
const IDENTITY_PROVIDER_EVERY_MS = 60_000
const TIMEOUT_MS = 5_000

type Addresses = Pick<
  Config,
  'origin' | 'oidc' | 'accountProvider' | 'operator' | 'sms' | 'storage' | 'tracing' | 'databaseUrl'
>

/** The encrypted addresses of the settings, by the setting. */
export function encryptedUrls(config: Addresses): [setting: string, url: string][] {
  const { origin, oidc, accountProvider, operator, sms, storage, tracing, databaseUrl } = config
  const urls: [setting: string, url: string | null | undefined][] = [
    ['PUBLIC_URL', origin],
    ['OIDC_ISSUER', oidc?.issuer],
    ['ACCOUNT_PROVIDER_URL', accountProvider.url],
    ['OPERATOR_URL', operator.url],
    ['TWILIO_URL', sms.gateway === 'twilio' ? sms.url : null],
    ['S3_ENDPOINT', storage.kind === 's3' ? storage.endpoint : null],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', tracing?.url],
    ['DATABASE_URL', databaseUrl],
  ]
  return urls.filter((one): one is [string, string] => isEncrypted(one[1] ?? ''))
}

const isEncrypted = (url: string): boolean =>
  url.startsWith('https:') || (url.startsWith('postgres') && /[?&]sslmode=(?!disable)/.test(url))

export function fetchCertificate(url: URL, signal: AbortSignal): Promise<Certificate | undefined> {
  const speaksPostgres = url.protocol !== 'https:'
  const port = Number(url.port) || (speaksPostgres ? POSTGRES_PORT : HTTPS_PORT)
  return readCertificate({ host: bare(url.hostname), port, speaksPostgres }, signal)
}

/** Where an identity provider describes itself. */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

export const CERTIFICATE_GAUGES = {
  certificate_valid_seconds: {
    help: 'For how long the certificate at the address of a setting is still valid, read every ten minutes; 0 when it has expired or is not trusted here, no value while nothing responds there',
    labels: ['setting'],
  },
}

/**
 * Looks at what nobody calls before it is needed: certificates, and the identity provider, whose calls count among all
 * calls to it. The returned function ends that.
 */
export function watchCompanies(metrics: Pick<Metrics, 'watch'>, config: Addresses, log: Log): () => Promise<void> {
  const valid = new Map<string, number>()
  metrics.watch(CERTIFICATE_GAUGES, () => ({
    certificate_valid_seconds: [...valid].map(([setting, until_ms]) => ({
      labels: { setting },
      value: Math.max(0, (until_ms - systemClock.now().getTime()) / 1_000),
    })),
  }))
  const readCertificates = async () => {
    await Promise.all(
      encryptedUrls(config).map(async ([setting, url]) => {
        const certificate = await fetchCertificate(new URL(url), AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined)
        if (certificate) valid.set(setting, certificate.validUntil?.getTime() ?? 0)
        else valid.delete(setting)
      }),
    )
  }
  const { oidc } = config
  const readIdentityProvider = async () => {
    if (!oidc) return
    const call = { company: 'identity_provider', url: discoveryUrl(oidc.issuer), timeout_ms: TIMEOUT_MS }
    await callJson({ ...call, method: 'GET' }).catch(() => {}) // it is counted
  }
  return startPeriodic(
    [
      { name: 'certificates', every_ms: CERTIFICATES_EVERY_MS, run: readCertificates },
      { name: 'identity-provider', every_ms: IDENTITY_PROVIDER_EVERY_MS, run: readIdentityProvider },
    ],
    log,
  )
}
