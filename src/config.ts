import { readFileSync } from 'node:fs'
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
import { masterKeySettings, type VaultConfig, withMasterKeysFile } from './access/master-key-settings.ts'
import type { MasterKeySettings } from './kernel/crypto/master-key-source.ts'
import { type Environment, readerOf } from './kernel/read-environment.ts'
import type { TargetRule } from './kernel/outbound/public-address.ts'
import type { TracingSettings } from './kernel/otlp-tracing.ts'
import type { StorageSettings } from './kernel/storage/open-storage.ts'

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
  /** The number of API processes. */
  processes: number
  /** The connections of all these processes together. */
  poolSize: number
  /** Null when it follows from the database. */
  shareStatements: boolean | null
  /** The number of proxies in front; a caller's network address is the one reported by the outermost. */
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
  /** The allowed targets of webhooks. */
  webhookTargets: TargetRule
  /** The storage of uploaded documents. */
  storage: StorageSettings
  /** Where master keys are kept. */
  masterKeySource: MasterKeySettings
  /** Where spans are sent to; null where nothing is recorded. */
  tracing: TracingSettings | null
  keys: ParsedKeys
}>

export type Config = DatabaseConfig & TokenConfig & ServiceConfig

/** Invalid settings in the environment; one sentence per error. */
export class ConfigError extends Error {
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
  const reading = beginReading(environment)
  const { errors, production, read, required } = reading
  const port = read.port('PORT', 8080)
  const sandboxPort = read.port('SANDBOX_PORT', 8081)
  const processes = read.integer('PROCESSES', { otherwise: PROCESSES_DEFAULT, min: 1, max: 64 })
  const config = {
    production,
    host: environment['HOST'] || (production ? '0.0.0.0' : '127.0.0.1'),
    port,
    sandboxPort,
    metricsPort: read.port('METRICS_PORT', 9464),
    origin: originOf(reading, port),
    ...databaseSettings(reading),
    processes,
    poolSize: read.integer('DATABASE_POOL_SIZE', { otherwise: poolSizeFor(processes), min: 2, max: 100 }),
    shareStatements: read.flag('SHARE_STATEMENTS', null),
    trustedProxies: read.integer('TRUSTED_PROXIES', { otherwise: 0, min: 0, max: 10 }),
    accountProviderUrl: read.url(
      'ACCOUNT_PROVIDER_URL',
      required('ACCOUNT_PROVIDER_URL', `http://localhost:${sandboxPort}/account_provider`),
    ),
    accountProviderApiKey: required('ACCOUNT_PROVIDER_API_KEY', 'sandbox'),
    operatorUrl: read.url('OPERATOR_URL', required('OPERATOR_URL', `http://localhost:${sandboxPort}/operator`)),
    operatorApiKey: required('OPERATOR_API_KEY', 'sandbox'),
    operatorSecret: required('OPERATOR_SECRET', 'the-sandbox-operator-signs-with-this'),
    oidc: oidcSettings(reading, sandboxPort),
    limits: readLimits(read.integer),
    requirePurpose: read.flag('REQUIRE_PURPOSE', false),
    erasure: readErasureSettings(reading),
    webhookTargets: webhookSettings(environment, { read, errors, production }),
    sms: smsSettings(environment, { read, errors, production, sandboxPort }),
    masterKeySource: masterKeySettings(environment, { ...read, errors }),
    storage: storageSettings(environment, { read, errors, required, dataDir: dataDirOf(environment) }),
    tracing: tracingSettings(reading),
  }
  const ports = [config.port, config.metricsPort, ...(production ? [] : [config.sandboxPort])]
  if (new Set(ports).size < ports.length) errors.push('PORT, SANDBOX_PORT and METRICS_PORT must differ.')
  const keyTexts = keyTextsOf(reading, KEY_NAMES)
  if (config.operatorSecret.length < SECRET_LENGTH_MIN)
    errors.push(`OPERATOR_SECRET must have at least ${SECRET_LENGTH_MIN} characters.`)
  throwErrors(errors)
  const keys = parseKeyTexts(keyTexts(), { isWrapped: config.masterKeySource.kind === 'aws-kms' })
  if (Array.isArray(keys)) throw new ConfigError(keys)
  return Object.freeze({ ...config, keys })
}

const poolSizeFor = (processes: number) => Math.max(POOL_SIZE_DEFAULT, POOL_SIZE_OF_PROCESS * processes)

/** Reads the settings of commands that only use the database and need no keys. */
export const loadDatabaseConfig = (environment: Environment = process.env): DatabaseConfig =>
  load(environment, databaseSettings)

/** Reads the settings needed to erase users on the host. No key is needed: nothing is decrypted. */
export const loadErasureConfig = (environment: Environment = process.env) =>
  load(environment, (reading) => ({ ...databaseSettings(reading), erasure: readErasureSettings(reading) }))

function load<T extends object>(environment: Environment, read: (reading: Reading) => T): Readonly<T> {
  const reading = beginReading(environment)
  const config = read(reading)
  throwErrors(reading.errors)
  return Object.freeze(config)
}

/** Reads the settings needed to sign tokens and to read or write the audit. */
export function loadTokenConfig(environment: Environment = process.env): TokenConfig & DatabaseConfig {
  const reading = beginReading(environment)
  const origin = originOf(reading, reading.read.port('PORT', 8080))
  const database = databaseSettings(reading)
  const keyTexts = keyTextsOf(reading, ['SIGNING_KEYS'])
  throwErrors(reading.errors)
  const signingKeys = readSigningKeys(keyTexts().SIGNING_KEYS, reading.errors)
  if (!signingKeys) throw new ConfigError(reading.errors)
  return Object.freeze({ origin, keys: { signingKeys }, ...database })
}

/** Reads what is needed to look after the keys that seal and find. */
export function loadVaultConfig(environment: Environment = process.env): DatabaseConfig & VaultConfig {
  const reading = beginReading(environment)
  const database = databaseSettings(reading)
  const masterKeySource = masterKeySettings(reading.environment, { ...reading.read, errors: reading.errors })
  const keyTexts = keyTextsOf(reading, ['MASTER_KEYS', 'HASH_KEY'])
  throwErrors(reading.errors)
  const keys = readVaultKeys(keyTexts(), reading.errors, { isWrapped: masterKeySource.kind === 'aws-kms' })
  if (!keys) throw new ConfigError(reading.errors)
  return Object.freeze({ ...database, keys, masterKeySource })
}

/** Reads where master keys are kept. */
export function loadMasterKeySource(environment: Environment = process.env): MasterKeySettings {
  const { read, errors } = beginReading(environment)
  const settings = masterKeySettings(environment, { ...read, errors, isFirst: true })
  throwErrors(errors)
  return settings
}

/** Reads the signing keys as they are written, and the folder that keeps them; null when the environment has them. */
export function loadSigningKeyText(environment: Environment = process.env): { text: string; dataDir: string | null } {
  const reading = beginReading(environment)
  const keyTexts = keyTextsOf(reading, ['SIGNING_KEYS'])
  throwErrors(reading.errors)
  return { text: keyTexts().SIGNING_KEYS, dataDir: environment['SIGNING_KEYS'] ? null : dataDirOf(environment) }
}

type Reading = ReturnType<typeof beginReading>

function beginReading(given: Environment) {
  const errors: string[] = []
  const environment = withMasterKeysFile(given, errors)
  const mode = environment['NODE_ENV'] ?? 'development'
  if (!['development', 'production', 'test'].includes(mode)) {
    errors.push('NODE_ENV must be development, test or production.')
  }
  const production = mode === 'production'
  const required = (name: string, otherwise: string) => {
    if (production && !environment[name]) errors.push(`${name} must be set in production.`)
    return environment[name] || otherwise
  }
  return { environment, errors, production, read: readerOf(environment, errors), required }
}

function throwErrors(errors: string[]): void {
  if (errors.length > 0) throw new ConfigError(errors)
}

const dataDirOf = (environment: Environment) => resolve(environment['DATA_DIR'] || '.banyan')

const originOf = ({ read, required }: Reading, port: number) =>
  read.origin('PUBLIC_URL', required('PUBLIC_URL', `http://localhost:${port}`))

function databaseSettings({ environment, errors, read, required }: Reading): DatabaseConfig {
  required('DATABASE_URL', '')
  const config = {
    dataDir: dataDirOf(environment),
    databaseUrl: read.postgres('DATABASE_URL'),
    migrationDatabaseUrl: read.postgres('MIGRATION_DATABASE_URL'),
    logLevel: read.word('LOG_LEVEL', { otherwise: 'info', words: LOG_LEVELS }),
  }
  if (config.migrationDatabaseUrl && !config.databaseUrl) errors.push('MIGRATION_DATABASE_URL requires DATABASE_URL.')
  return config
}

type SmsGateway = Config['sms']['gateway']

const TWILIO_NAMES = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const

type SmsReading = { read: ReturnType<typeof readerOf>; errors: string[]; production: boolean; sandboxPort: number }

/** Reads the SMS gateway: outside production the sandbox, unless Twilio is configured. */
function smsSettings(environment: Environment, { read, errors, production, sandboxPort }: SmsReading): Config['sms'] {
  const settings: { [G in SmsGateway]: () => Extract<Config['sms'], { gateway: G }> } = {
    sandbox: () => ({ gateway: 'sandbox', url: `http://localhost:${sandboxPort}/sms` }),
    twilio: () => {
      for (const name of TWILIO_NAMES)
        if (!environment[name]) errors.push(`${name} must be set when SMS_GATEWAY is twilio.`)
      const [accountSid = '', authToken = '', from = ''] = TWILIO_NAMES.map((name) => environment[name])
      const url = read.url('TWILIO_URL', environment['TWILIO_URL'] || 'https://api.twilio.com')
      return { gateway: 'twilio', url, accountSid, authToken, from }
    },
  }
  const words = keysOf(settings).filter((gateway) => !production || gateway !== 'sandbox')
  return settings[read.word('SMS_GATEWAY', { otherwise: production ? 'twilio' : 'sandbox', words })]()
}

const OIDC_NAMES = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
const OIDC_DEFAULTS = {
  OIDC_SCOPE: 'openid profile email',
  OIDC_ROLE_CLAIM: 'roles',
  OIDC_ROLES: ADMINISTRATORS.map((role) => `${role}=${role}`).join(),
}

/** Reads the identity provider: the configured one, else outside production the sandbox; optional in production. */
function oidcSettings({ environment, errors, production, read }: Reading, sandboxPort: number): OidcSettings | null {
  const issuer = environment['OIDC_ISSUER']
  if (!issuer && production) return null
  if (issuer) {
    for (const name of OIDC_NAMES) if (!environment[name]) errors.push(`${name} must be set when OIDC_ISSUER is set.`)
    read.url('OIDC_ISSUER', issuer, production ? ['https:'] : undefined)
  }
  const [clientId, clientSecret] = issuer ? OIDC_NAMES.map((name) => environment[name] ?? '') : ['banyan', 'sandbox']
  const text = (name: keyof typeof OIDC_DEFAULTS) => environment[name] || OIDC_DEFAULTS[name]
  const roles = parseRoles(text('OIDC_ROLES'))
  if (!roles)
    errors.push(
      'OIDC_ROLES must be a comma-separated list of value=role, each value once, with the roles viewer, operator and owner.',
    )
  return {
    issuer: issuer || `http://localhost:${sandboxPort}/oidc`,
    clientId: clientId as string,
    clientSecret: clientSecret as string,
    scope: text('OIDC_SCOPE'),
    roleClaim: text('OIDC_ROLE_CLAIM'),
    roles: roles ?? new Map(),
  }
}

const WEBHOOK_PORTS = '443,8443'

/** Reads the allowed webhook targets: the internet; in development also this machine. */
function webhookSettings(
  environment: Environment,
  { read, errors, production }: Omit<SmsReading, 'sandboxPort'>,
): TargetRule {
  const ports = (environment['WEBHOOK_PORTS'] || WEBHOOK_PORTS).split(',').map((port) => Number(port.trim()))
  if (!ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535))
    errors.push('WEBHOOK_PORTS must be a comma-separated list of ports from 1 to 65535.')
  const allowsLoopback = read.flag('WEBHOOK_LOOPBACK', !production)
  if (production && allowsLoopback) errors.push('WEBHOOK_LOOPBACK cannot be true in production.')
  return { ports, allowsLoopback }
}

/** As OpenTelemetry names them. */
function tracingSettings({ environment, read }: Reading): TracingSettings | null {
  const url = environment['OTEL_EXPORTER_OTLP_ENDPOINT']
  const ratio = read.part('OTEL_TRACES_SAMPLER_ARG', 1)
  return url ? { url: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', url), ratio } : null
}

const S3_NAMES = ['S3_BUCKET', 'S3_REGION'] as const
/** The bucket names that Amazon accepts. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

type StorageKind = StorageSettings['kind']
type StorageReading = {
  read: ReturnType<typeof readerOf>
  errors: string[]
  required: (name: string, otherwise: string) => string
  dataDir: string
}

/**
 * Reads the storage of documents: by default a folder; production must choose, because a container's folders are lost.
 */
function storageSettings(environment: Environment, reading: StorageReading): StorageSettings {
  const { read, required, dataDir } = reading
  required('DOCUMENT_STORAGE', '')
  const settings: { [K in StorageKind]: () => Extract<StorageSettings, { kind: K }> } = {
    folder: () => ({ kind: 'folder', folder: resolve(environment['DOCUMENT_FOLDER'] || join(dataDir, 'documents')) }),
    s3: () => s3Settings(environment, reading),
  }
  return settings[read.word('DOCUMENT_STORAGE', { otherwise: 'folder', words: keysOf(settings) })]()
}

function s3Settings(
  environment: Environment,
  { read, errors }: StorageReading,
): Extract<StorageSettings, { kind: 's3' }> {
  for (const name of S3_NAMES) if (!environment[name]) errors.push(`${name} must be set when DOCUMENT_STORAGE is s3.`)
  const [bucket = '', region = ''] = S3_NAMES.map((name) => environment[name])
  if (bucket && !BUCKET.test(bucket))
    errors.push('S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens.')
  const endpoint = environment['S3_ENDPOINT']
  const accessKeyId = environment['S3_ACCESS_KEY_ID'] || ''
  const secretAccessKey = environment['S3_SECRET_ACCESS_KEY'] || ''
  if (!accessKeyId !== !secretAccessKey)
    errors.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together, or neither.')
  return {
    kind: 's3',
    bucket,
    region,
    endpoint: endpoint ? read.url('S3_ENDPOINT', endpoint) : null,
    forcePathStyle: read.flag('S3_FORCE_PATH_STYLE', false),
    credentials: accessKeyId ? { accessKeyId, secretAccessKey } : null,
  }
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

/** The version of the program, from its package. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version
