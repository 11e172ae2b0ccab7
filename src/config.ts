import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { ADMINISTRATORS } from './access/caller.ts'
import { type ErasureSettings, readErasureSettings } from './access/erasure-settings.ts'
import {
  type KeyTexts,
  makeKeyTexts,
  type ParsedKeys,
  parseKeyTexts,
  readSigningKeys,
  readVaultKeys,
} from './access/keys.ts'
import { type Limits, readLimits } from './access/limits.ts'
import { type OidcSettings, parseRoles } from './access/oidc-settings.ts'
import { SANDBOX_PARTNER_ROLES } from './access/sandbox-partners.ts'
import { masterKeySettings, type VaultConfig, withMasterKeysFile } from './access/master-key-settings.ts'
import type { MasterKeySettings } from './kernel/crypto/master-key-source.ts'
import { type Environment, createReading, type Reading } from './kernel/read-environment.ts'
import { UsageError } from './kernel/start-error.ts'
import type { TargetRule } from './kernel/outbound/public-address.ts'
import type { TracingSettings } from './kernel/otlp-tracing.ts'
import { VERSION } from './kernel/program-version.ts'
import type { StorageSettings } from './kernel/storage/create-storage.ts'

/** The settings needed to connect to the database. */
export type DatabaseConfig = Readonly<{
  dataDir: string
  /** null: the embedded PostgreSQL. */
  databaseUrl: string | null
  /** The URL with the role that migrates; null: the app's. */
  migrationDatabaseUrl: string | null
  logLevel: string
}>

/** The settings needed to sign and verify tokens of the main interface. */
export type TokenConfig = Readonly<{
  /** The public scheme, host and port of the service; also the issuer of its tokens. */
  origin: string
  keys: Pick<ParsedKeys, 'signingKeys'>
}>

type ServiceConfig = Readonly<{
  production: boolean
  host: string
  port: number
  sandboxPort: number
  metricsPort: number
  /** Where `/metrics` listens: it has no authentication, so never by default where the API does. */
  metricsHost: string
  processes: number
  /** The connections of all these processes together. */
  poolSize: number
  /** Null when it follows from the database. */
  shareStatements: boolean | null
  /** The number of proxies in front; a caller's IP address is the one reported by the outermost. */
  trustedProxies: number
  accountProviderUrl: string
  accountProviderApiKey: string
  operatorUrl: string
  operatorApiKey: string
  /** Shared with the operator, who signs callbacks with it. */
  operatorSecret: string
  sms:
    | { gateway: 'sandbox'; url: string }
    | { gateway: 'twilio'; url: string; accountSid: string; authToken: string; from: string }
  /** The administrators' identity provider; null where none is configured. */
  oidc: OidcSettings | null
  limits: Limits
  /** Whether administrators must state why they read personal data. */
  requirePurpose: boolean
  /** The notice given before an erasure, and the retention terms. */
  erasure: ErasureSettings
  webhookTargets: TargetRule
  /** The storage of uploaded documents. */
  storage: StorageSettings
  masterKeySource: MasterKeySettings
  /** Where spans are sent to; null where nothing is recorded. */
  tracing: TracingSettings | null
  keys: ParsedKeys
}>

export type Config = DatabaseConfig & TokenConfig & ServiceConfig

/** Invalid settings in the environment; one sentence per error. */
export class ConfigError extends UsageError {
  constructor(errors: string[]) {
    super(errors.join('\n'))
    this.name = 'ConfigError'
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent']
/** One core is left for the database; more than 16 processes need more connections than PostgreSQL allows by default. */
const PROCESSES_DEFAULT = Math.min(Math.max(1, availableParallelism() - 1), 16)
const POOL_SIZE_DEFAULT = 8 // 4 to 10 connections are best for two cores; 64 are worse
const POOL_SIZE_OF_PROCESS = 4
const SECRET_LENGTH_MIN = 16
const KEY_NAMES = ['SIGNING_KEYS', 'MASTER_KEYS', 'HASH_KEY', 'ADMIN_API_KEYS'] as const

/**
 * Reads the settings of the API and the worker; options of the command line override the environment. Throws a
 * `ConfigError` that names every error.
 */
export function loadConfig(given: Environment = process.env, options: { processes?: string } = {}): Config {
  const environment: Environment = { ...given, PROCESSES: options.processes ?? given['PROCESSES'] }
  return load(environment, (reading) => {
    const config = serviceSettings(reading)
    const keyTexts = keyTextsOf(reading, KEY_NAMES)
    return () => {
      const keys = parseKeyTexts(keyTexts(), { isWrapped: config.masterKeySource.kind === 'aws-kms' })
      if (Array.isArray(keys)) throw new ConfigError(keys)
      return { ...config, keys }
    }
  })
}

/** Reads the settings for a command that is refused in production, before a list of missing settings invites to add them. */
export function loadDevelopmentConfig(subject: string, environment: Environment = process.env): Config {
  if (environment['NODE_ENV'] === 'production') throw new ConfigError([`${subject} does not run in production.`])
  return loadConfig(environment)
}

function serviceSettings(reading: Reading): Omit<Config, 'keys'> {
  const { environment, errors, production, required } = reading
  const port = reading.port('PORT', 8080)
  const sandboxPort = reading.port('SANDBOX_PORT', 8081)
  const processes = reading.integer('PROCESSES', { fallback: PROCESSES_DEFAULT, min: 1, max: 64 })
  const config = {
    production,
    host: environment['HOST'] || (production ? '0.0.0.0' : '127.0.0.1'),
    port,
    sandboxPort,
    metricsPort: reading.port('METRICS_PORT', 9464),
    metricsHost: environment['METRICS_HOST'] || '127.0.0.1',
    origin: originOf(reading, port),
    ...databaseSettings(reading),
    processes,
    poolSize: reading.integer('DATABASE_POOL_SIZE', { fallback: poolSizeFor(processes), min: 2, max: 100 }),
    shareStatements: reading.flag('SHARE_STATEMENTS', null),
    trustedProxies: reading.integer('TRUSTED_PROXIES', { fallback: 0, min: 0, max: 10 }),
    accountProviderUrl: reading.url(
      'ACCOUNT_PROVIDER_URL',
      required('ACCOUNT_PROVIDER_URL', `http://localhost:${sandboxPort}/account_provider`),
    ),
    accountProviderApiKey: required('ACCOUNT_PROVIDER_API_KEY', 'sandbox'),
    operatorUrl: reading.url('OPERATOR_URL', required('OPERATOR_URL', `http://localhost:${sandboxPort}/operator`)),
    operatorApiKey: required('OPERATOR_API_KEY', 'sandbox'),
    operatorSecret: required('OPERATOR_SECRET', 'the-sandbox-operator-signs-with-this'),
    oidc: oidcSettings(reading, sandboxPort),
    limits: readLimits(reading.integer),
    requirePurpose: reading.flag('REQUIRE_PURPOSE', false),
    erasure: readErasureSettings(reading),
    webhookTargets: webhookSettings(reading),
    sms: smsSettings(reading, sandboxPort),
    masterKeySource: masterKeySettings(reading),
    storage: storageSettings(reading),
    tracing: tracingSettings(reading),
  }
  const ports = [config.port, config.metricsPort, ...(production ? [] : [config.sandboxPort])]
  if (new Set(ports).size < ports.length) errors.push('PORT, SANDBOX_PORT and METRICS_PORT must differ.')
  if (config.operatorSecret.length < SECRET_LENGTH_MIN)
    errors.push(`OPERATOR_SECRET must have at least ${SECRET_LENGTH_MIN} characters.`)
  return config
}

const poolSizeFor = (processes: number) => Math.max(POOL_SIZE_DEFAULT, POOL_SIZE_OF_PROCESS * processes)

/** Reads the settings of commands that only use the database and need no keys. */
export const loadDatabaseConfig = (environment: Environment = process.env): DatabaseConfig =>
  load(environment, (reading) => {
    const config = databaseSettings(reading)
    return () => config
  })

/** Reads the settings needed to erase users on the host. No key is needed: nothing is decrypted. */
export const loadErasureConfig = (environment: Environment = process.env) =>
  load(environment, (reading) => {
    const config = { ...databaseSettings(reading), erasure: readErasureSettings(reading) }
    return () => config
  })

/** Reads the settings needed to sign tokens and to read or write the audit. */
export const loadTokenConfig = (environment: Environment = process.env): TokenConfig & DatabaseConfig =>
  load(environment, (reading) => {
    const config = { origin: originOf(reading, reading.port('PORT', 8080)), ...databaseSettings(reading) }
    const keyTexts = keyTextsOf(reading, ['SIGNING_KEYS'])
    return () => {
      const signingKeys = readSigningKeys(keyTexts().SIGNING_KEYS, reading.errors)
      return signingKeys && { ...config, keys: { signingKeys } }
    }
  })

/** Reads the settings needed to rotate hash keys and master keys. */
export const loadVaultConfig = (environment: Environment = process.env): DatabaseConfig & VaultConfig =>
  load(environment, (reading) => {
    const config = { ...databaseSettings(reading), masterKeySource: masterKeySettings(reading) }
    const keyTexts = keyTextsOf(reading, ['MASTER_KEYS', 'HASH_KEY'])
    return () => {
      const isWrapped = config.masterKeySource.kind === 'aws-kms'
      const keys = readVaultKeys(keyTexts(), reading.errors, { isWrapped })
      return keys && { ...config, keys }
    }
  })

/** Reads where master keys are kept. */
export const loadMasterKeySource = (environment: Environment = process.env): MasterKeySettings =>
  load(environment, (reading) => {
    const settings = masterKeySettings(reading, { isFirst: true })
    return () => settings
  })

/** Reads the signing keys as written, and the folder that stores them; null when they come from the environment. */
export const loadSigningKeyText = (environment: Environment = process.env): { text: string; dataDir: string | null } =>
  load(environment, (reading) => {
    const keyTexts = keyTextsOf(reading, ['SIGNING_KEYS'])
    const dataDir = environment['SIGNING_KEYS'] ? null : dataDirOf(environment)
    return () => ({ text: keyTexts().SIGNING_KEYS, dataDir })
  })

/**
 * Reads settings, and once all are valid, calls what `read` returns, which may need keys. Throws a `ConfigError` that
 * names every error.
 */
function load<T extends object>(given: Environment, read: (reading: Reading) => () => T | undefined): Readonly<T> {
  const errors: string[] = []
  const finish = read(createReading(withMasterKeysFile(given, errors), errors))
  if (errors.length > 0) throw new ConfigError(errors)
  const config = finish()
  if (config === undefined || errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(config)
}

export const dataDirOf = (environment: Environment = process.env): string =>
  resolve(environment['DATA_DIR'] || '.banyan')

const originOf = ({ origin, required }: Reading, port: number) =>
  origin('PUBLIC_URL', required('PUBLIC_URL', `http://localhost:${port}`))

function databaseSettings({ environment, errors, postgres, oneOf, required }: Reading): DatabaseConfig {
  required('DATABASE_URL', '')
  const config = {
    dataDir: dataDirOf(environment),
    databaseUrl: postgres('DATABASE_URL'),
    migrationDatabaseUrl: postgres('MIGRATION_DATABASE_URL'),
    logLevel: oneOf('LOG_LEVEL', { fallback: 'info', values: LOG_LEVELS }),
  }
  if (config.migrationDatabaseUrl && !config.databaseUrl) errors.push('MIGRATION_DATABASE_URL requires DATABASE_URL.')
  return config
}

type SmsGateway = Config['sms']['gateway']

const TWILIO_NAMES = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const

/** Reads the SMS gateway: outside production the sandbox, unless Twilio is configured. */
function smsSettings(
  { environment, production, all, url: webUrl, oneOf }: Reading,
  sandboxPort: number,
): Config['sms'] {
  const settings: { [G in SmsGateway]: () => Extract<Config['sms'], { gateway: G }> } = {
    sandbox: () => ({ gateway: 'sandbox', url: `http://localhost:${sandboxPort}/sms` }),
    twilio: () => {
      const [accountSid = '', authToken = '', from = ''] = all(TWILIO_NAMES, 'SMS_GATEWAY is twilio')
      const url = webUrl('TWILIO_URL', environment['TWILIO_URL'] || 'https://api.twilio.com')
      return { gateway: 'twilio', url, accountSid, authToken, from }
    },
  }
  const values = keysOf(settings).filter((gateway) => !production || gateway !== 'sandbox')
  return settings[oneOf('SMS_GATEWAY', { fallback: production ? 'twilio' : 'sandbox', values })]()
}

const OIDC_NAMES = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
const OIDC_DEFAULTS = {
  OIDC_SCOPE: 'openid profile email',
  OIDC_ROLE_CLAIM: 'roles',
  OIDC_ROLES: ADMINISTRATORS.map((role) => `${role}=${role}`).join(),
}

/** Reads the identity provider: the configured one, else outside production the sandbox; optional in production. */
function oidcSettings(reading: Reading, sandboxPort: number): OidcSettings | null {
  const { environment, errors, production, all, url } = reading
  const issuer = environment['OIDC_ISSUER']
  if (!issuer && production) return null
  const [clientId = '', clientSecret = ''] = issuer ? all(OIDC_NAMES, 'OIDC_ISSUER is set') : ['banyan', 'sandbox']
  if (issuer) url('OIDC_ISSUER', issuer, production ? ['https:'] : undefined)
  const text = (name: keyof typeof OIDC_DEFAULTS) => environment[name] || OIDC_DEFAULTS[name]
  const sandboxRoles = [OIDC_DEFAULTS.OIDC_ROLES, ...SANDBOX_PARTNER_ROLES].join()
  const roles = parseRoles(environment['OIDC_ROLES'] || (issuer ? OIDC_DEFAULTS.OIDC_ROLES : sandboxRoles))
  if (!roles)
    errors.push(
      'OIDC_ROLES must be a comma-separated list of value=role, each value once, with the roles viewer, operator, owner, platform:{id} and benefit_provider:{id or code}.',
    )
  return {
    issuer: issuer || `http://localhost:${sandboxPort}/oidc`,
    clientId,
    clientSecret,
    scope: text('OIDC_SCOPE'),
    roleClaim: text('OIDC_ROLE_CLAIM'),
    roles: roles ?? new Map(),
    requiredAcr: requiredAcrOf(reading),
  }
}

function requiredAcrOf({ environment, errors }: Reading): string[] {
  const text = environment['OIDC_REQUIRED_ACR'] ?? ''
  const values = text.split(/[\s,]+/).filter((acr) => acr !== '')
  if (text !== '' && values.length === 0) errors.push('OIDC_REQUIRED_ACR must be a comma-separated list of acr values.')
  return values
}

const WEBHOOK_PORTS = '443,8443'

/** Reads the allowed webhook targets: the internet; in development also this machine. */
function webhookSettings({ environment, errors, production, flag }: Reading): TargetRule {
  const ports = (environment['WEBHOOK_PORTS'] || WEBHOOK_PORTS).split(',').map((port) => Number(port.trim()))
  if (!ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535))
    errors.push('WEBHOOK_PORTS must be a comma-separated list of ports from 1 to 65535.')
  const allowsLoopback = flag('WEBHOOK_LOOPBACK', !production)
  if (production && allowsLoopback) errors.push('WEBHOOK_LOOPBACK cannot be true in production.')
  return { ports, allowsLoopback }
}

/** As OpenTelemetry names them. */
function tracingSettings({ environment, fraction: part, url: webUrl }: Reading): TracingSettings | null {
  const url = environment['OTEL_EXPORTER_OTLP_ENDPOINT']
  const ratio = part('OTEL_TRACES_SAMPLER_ARG', 1)
  return url ? { url: webUrl('OTEL_EXPORTER_OTLP_ENDPOINT', url), ratio } : null
}

const S3_NAMES = ['S3_BUCKET', 'S3_REGION'] as const
const S3_ACCESS = { endpoint: 'S3_ENDPOINT', accessKeyId: 'S3_ACCESS_KEY_ID', secretAccessKey: 'S3_SECRET_ACCESS_KEY' }
/** The bucket names that Amazon accepts. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

type StorageKind = StorageSettings['kind']
/**
 * Reads the storage of documents: by default a folder; production must choose, because a container's folders are lost.
 */
function storageSettings(reading: Reading): StorageSettings {
  const { environment, required, oneOf } = reading
  const inDataDir = join(dataDirOf(environment), 'documents')
  required('DOCUMENT_STORAGE', '')
  const settings: { [K in StorageKind]: () => Extract<StorageSettings, { kind: K }> } = {
    folder: () => ({ kind: 'folder', folder: resolve(environment['DOCUMENT_FOLDER'] || inDataDir) }),
    s3: () => s3Settings(reading),
  }
  return settings[oneOf('DOCUMENT_STORAGE', { fallback: 'folder', values: keysOf(settings) })]()
}

function s3Settings({ errors, all, amazon, flag }: Reading): Extract<StorageSettings, { kind: 's3' }> {
  const [bucket = '', region = ''] = all(S3_NAMES, 'DOCUMENT_STORAGE is s3')
  if (bucket && !BUCKET.test(bucket))
    errors.push('S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens.')
  return { kind: 's3', bucket, region, ...amazon(S3_ACCESS), forcePathStyle: flag('S3_FORCE_PATH_STYLE', false) }
}

/**
 * Reads keys from the environment; in development, missing ones are created once and kept in the data folder, but only
 * after all other settings are valid.
 */
function keyTextsOf<Name extends keyof KeyTexts>(
  { environment, production, required }: Reading,
  names: readonly Name[],
): () => Pick<KeyTexts, Name> {
  for (const name of names) required(name, '')
  return () => {
    const created = production ? {} : makeKeyTexts(dataDirOf(environment))
    const given = names.filter((name) => environment[name]).map((name) => [name, environment[name]])
    return { ...created, ...Object.fromEntries(given) } as Pick<KeyTexts, Name>
  }
}

const keysOf = <K extends string>(table: Record<K, unknown>) => Object.keys(table) as K[]

export { VERSION }

/** Returns what the first line of a log says of the process. */
export const aboutProgram = ({ production }: Pick<Config, 'production'>) => ({
  pid: process.pid,
  version: VERSION,
  mode: production ? 'production' : 'development',
})

/** The path of the main interface: `{base_url}` of the contract. */
export const BASE_PATH = '/v1'

/** The path of the wallet interface: `{wallet_base_url}`. */
export const WALLET_BASE_PATH = '/wallet/v1'
