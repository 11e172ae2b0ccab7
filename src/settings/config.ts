import { availableParallelism } from 'node:os'
import { type ErasureSettings, readErasureSettings } from './read-erasure.ts'
import {
  findKeyTexts,
  type KeyTexts,
  makeKeyTexts,
  type ParsedKeys,
  parseKeyTexts,
  readSigningKeys,
  readVaultKeys,
} from './keys.ts'
import { checkOthers } from './known-secrets.ts'
import { type Deadlines, readDeadlines } from './read-deadlines.ts'
import { type Limits, readLimits } from './read-limits.ts'
import { type OidcSettings, oidcSettings } from './read-oidc.ts'
import {
  type AccountProviderSettings,
  type OperatorSettings,
  readAccountProvider,
  readOperator,
} from './read-companies.ts'
import { readSms, readSmsAutofill, type SmsAutofill, type SmsSettings } from './read-sms.ts'
import { masterKeySettings, sealingSetting, type VaultConfig } from './read-master-keys.ts'
import type { MasterKeySettings } from '../kernel/crypto/master-key-source.ts'
import type { Sealing } from '../kernel/crypto/vault.ts'
import { mistakesIn } from '../kernel/db/session.ts'
import { createReading, type Effective } from '../kernel/settings/read-settings.ts'
import { type Environment, resolveSettings } from '../kernel/settings/resolve-settings.ts'
import { findSystemd } from '../kernel/processes/systemd.ts'
import { UsageError } from '../kernel/start-error.ts'
import type { TargetRule } from '../kernel/outbound/public-address.ts'
import type { TracingSettings } from '../kernel/otlp-tracing.ts'
import { BUILD, VERSION } from '../kernel/program-version.ts'
import type { StorageSettings } from '../kernel/storage/create-storage.ts'
import { maskedText } from './mask.ts'
import { auditArchiveDays, listSettings, readDataDir, restoreListSettings, storageSettings } from './read-storage.ts'
import { LOG_LEVELS } from './server-settings.ts'
import { COMMAND_VARIABLES, type Reading, SETTINGS, SETTINGS_FILE, type SettingName } from './table.ts'

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

/** `isStorageSet`: the settings say where documents are, or that there are archives of the audit among them. */
export type AuditConfig = TokenConfig & Readonly<{ isStorageSet: boolean }>

type ServiceConfig = Readonly<{
  /** After how many whole days sealed batches of the audit are archived; null: they are not. */
  auditArchiveDays: number | null
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
  accountProvider: AccountProviderSettings
  operator: OperatorSettings
  /** Within how many hours the operator is asked for every wallet. */
  operatorStatusHours: number
  sms: SmsSettings
  /** Null: an app finds the code in a message by the words alone. */
  smsAutofill: SmsAutofill | null
  /** The administrators' identity provider; null where none is configured. */
  oidc: OidcSettings | null
  limits: Limits
  /** Days in which somebody should act. */
  deadlines: Deadlines
  /** Days before the end of a policy's term on which its renewal is due. */
  renewalNoticeDays: readonly number[]
  /** Whether administrators must state why they read personal data. */
  requirePurpose: boolean
  /** The notice given before an erasure, and the retention terms. */
  erasure: ErasureSettings
  webhookTargets: TargetRule
  /** The storage of uploaded documents. */
  storage: StorageSettings
  /** Where the list is by which a restored database is shut again. */
  restoreList: ReturnType<typeof restoreListSettings>
  masterKeySource: MasterKeySettings
  /** What personal data is encrypted with from now on. */
  sealing: Sealing
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
    const keyTexts = readKeyTexts(reading, KEY_NAMES)
    return () => {
      const keys = parseKeyTexts(keyTexts(), config)
      if (Array.isArray(keys)) throw new ConfigError(keys)
      return { ...config, keys }
    }
  })
}

/** Reads the settings for a command that is refused in production, before a list of missing settings invites to add them. */
export function loadDevelopmentConfig(subject: string, environment: Environment = process.env): Config {
  if (toReading(environment).production) throw new ConfigError([`${subject} does not run in production.`])
  return loadConfig(environment)
}

function serviceSettings(reading: Reading): Omit<Config, 'keys'> {
  const { errors, production, integer, text, flag } = reading
  const port = integer('PORT')
  const sandboxPort = integer('SANDBOX_PORT')
  const processes = integer('PROCESSES', PROCESSES_DEFAULT)
  const config = {
    production,
    host: text('HOST', production ? '0.0.0.0' : '127.0.0.1'),
    port,
    sandboxPort,
    metricsPort: integer('METRICS_PORT'),
    metricsHost: text('METRICS_HOST'),
    origin: readOrigin(reading, port),
    ...databaseSettings(reading),
    processes,
    poolSize: integer('DATABASE_POOL_SIZE', poolSizeFor(processes)),
    shareStatements: flag('SHARE_STATEMENTS', null),
    trustedProxies: integer('TRUSTED_PROXIES'),
    accountProvider: readAccountProvider(reading, sandboxPort),
    operator: readOperator(reading, sandboxPort),
    operatorStatusHours: integer('OPERATOR_STATUS_HOURS'),
    oidc: oidcSettings(reading, sandboxPort),
    limits: readLimits(reading),
    deadlines: readDeadlines(reading),
    renewalNoticeDays: reading.integers('RENEWAL_NOTICE_DAYS'),
    requirePurpose: flag('REQUIRE_PURPOSE', false),
    erasure: readErasureSettings(reading),
    webhookTargets: webhookSettings(reading),
    sms: readSms(reading, sandboxPort),
    smsAutofill: readSmsAutofill(reading),
    masterKeySource: masterKeySettings(reading),
    sealing: sealingSetting(reading),
    storage: storageSettings(reading),
    restoreList: restoreListSettings(reading),
    auditArchiveDays: auditArchiveDays(reading),
    tracing: tracingSettings(reading),
  }
  const ports = [config.port, config.metricsPort, ...(production ? [] : [config.sandboxPort])]
  if (new Set(ports).size < ports.length) errors.push('PORT, SANDBOX_PORT and METRICS_PORT must differ.')
  if (config.operator.secret.length < SECRET_LENGTH_MIN)
    errors.push(`OPERATOR_SECRET must have at least ${SECRET_LENGTH_MIN} characters.`)
  return config
}

const poolSizeFor = (processes: number) => Math.max(POOL_SIZE_DEFAULT, POOL_SIZE_OF_PROCESS * processes)

/** Reads what systemd sets for a service that it runs; undefined without it. */
export const loadSystemd = (environment: Environment = process.env) => findSystemd(environment)

/** Reads the settings of commands that only use the database and need no keys. */
export const loadDatabaseConfig = (environment: Environment = process.env): DatabaseConfig =>
  loadWithoutKeys(environment, databaseSettings)

/** Reads the settings needed to erase users on the host. No key is needed: nothing is decrypted. */
export const loadErasureConfig = (environment: Environment = process.env) =>
  loadWithoutKeys(environment, (reading) => ({ ...databaseSettings(reading), erasure: readErasureSettings(reading) }))

/** Reads how to open a list for restores at an address. */
export const loadListSettings = (address: string, environment: Environment = process.env) =>
  loadWithoutKeys(environment, (reading) => listSettings(reading, address))

/** The settings of `backup` and `restore`. */
export type BackupConfig = Readonly<{ dataDir: string; documents: string; passphrase: string }>

export const loadBackupConfig = (environment: Environment = process.env): BackupConfig =>
  load(environment, (reading) => {
    const { dataDir, databaseUrl } = databaseSettings(reading)
    const storage = storageSettings(reading)
    const passphrase = reading.text('BACKUP_PASSPHRASE')
    if (databaseUrl)
      reading.errors.push('DATABASE_URL is set: back that database up with its own tools, as docs/operations.md says.')
    if (storage.kind !== 'folder')
      reading.errors.push('DOCUMENT_STORAGE is s3: back that bucket up with its own tools.')
    if (passphrase.length < SECRET_LENGTH_MIN)
      reading.errors.push(`BACKUP_PASSPHRASE must be set, with at least ${SECRET_LENGTH_MIN} characters.`)
    return () => ({ dataDir, documents: storage.kind === 'folder' ? storage.folder : '', passphrase })
  })

/** Reads the settings needed to sign tokens and to read or write the audit. */
export const loadTokenConfig = (environment: Environment = process.env): AuditConfig & DatabaseConfig =>
  load(environment, (reading) => {
    const config = {
      origin: readOrigin(reading, reading.integer('PORT')),
      isStorageSet: reading.given('DOCUMENT_STORAGE') !== '' || auditArchiveDays(reading) !== null,
      ...databaseSettings(reading),
    }
    const keyTexts = readKeyTexts(reading, ['SIGNING_KEYS'])
    return () => {
      const signingKeys = readSigningKeys(keyTexts().SIGNING_KEYS, reading.errors)
      return signingKeys && { ...config, keys: { signingKeys } }
    }
  })

export const loadVaultConfig = (environment: Environment = process.env): DatabaseConfig & VaultConfig =>
  load(environment, (reading) => {
    const config = {
      ...databaseSettings(reading),
      masterKeySource: masterKeySettings(reading),
      sealing: sealingSetting(reading),
    }
    const keyTexts = readKeyTexts(reading, ['MASTER_KEYS', 'HASH_KEY'])
    return () => {
      const keys = readVaultKeys(keyTexts(), reading.errors, config.masterKeySource)
      return keys && { ...config, keys }
    }
  })

export const loadStorage = (environment: Environment = process.env): StorageSettings =>
  loadWithoutKeys(environment, storageSettings)

export const loadMasterKeySource = (environment: Environment = process.env): MasterKeySettings =>
  loadWithoutKeys(environment, (reading) => masterKeySettings(reading, { isFirst: true }))

/** Reads the signing keys as written, and the folder that stores them; null when they come from the environment. */
export const loadSigningKeyText = (environment: Environment = process.env): { text: string; dataDir: string | null } =>
  load(environment, (reading) => {
    const keyTexts = readKeyTexts(reading, ['SIGNING_KEYS'])
    const dataDir = reading.given('SIGNING_KEYS') === '' ? readDataDir(reading) : null
    return () => ({ text: keyTexts().SIGNING_KEYS, dataDir })
  })

export const loadDataDir = (environment: Environment = process.env): string =>
  loadWithoutKeys(environment, (reading) => ({ dataDir: readDataDir(reading) })).dataDir

/** A setting as it holds; its value is masked where it is a secret. */
export type SettingInUse = Pick<Effective, 'name' | 'source'> & { value: string }

/** Returns every setting as it holds, and a sentence for each error. No keys are made. */
export function describeSettings(given: Environment = process.env): { settings: SettingInUse[]; errors: string[] } {
  const reading = toReading(given)
  serviceSettings(reading)
  readKeyTexts(reading, KEY_NAMES)
  checkOthers(reading)
  const masked = ({ name, text, source }: Effective) => ({
    name,
    value: maskedText(SETTINGS[name as SettingName], text),
    source,
  })
  return { settings: reading.effective().map(masked), errors: reading.errors }
}

/** The settings of the service as far as they are valid; `keys` is null while there are none, or invalid ones. */
export type Inspected = { config: Omit<Config, 'keys'>; keys: ParsedKeys | null; errors: string[] }

/** Reads the settings of the service for a command that changes nothing: no keys are made. */
export function inspectConfig(given: Environment = process.env): Inspected {
  const reading = toReading(given)
  const config = serviceSettings(reading)
  const texts = KEY_NAMES.map((name) => [name, reading.text(name, '')] as const).filter(([, text]) => text !== '')
  checkOthers(reading)
  const { errors } = reading
  const all: Partial<KeyTexts> = {
    ...(!config.production && findKeyTexts(config.dataDir)),
    ...Object.fromEntries(texts),
  }
  if (!KEY_NAMES.every((name) => all[name])) return { config, keys: null, errors }
  const keys = parseKeyTexts(all as KeyTexts, config)
  return Array.isArray(keys) ? { config, keys: null, errors: [...errors, ...keys] } : { config, keys, errors }
}

/**
 * Reads settings, and once all are valid, calls what `read` returns, which may need keys. Throws a `ConfigError` that
 * names every error.
 */
function load<T extends object>(given: Environment, read: (reading: Reading) => () => T | undefined): Readonly<T> {
  const reading = toReading(given)
  const { errors } = reading
  const finish = read(reading)
  checkOthers(reading)
  if (errors.length > 0) throw new ConfigError(errors)
  const config = finish()
  if (config === undefined || errors.length > 0) throw new ConfigError(errors)
  return Object.freeze(config)
}

const loadWithoutKeys = <T extends object>(given: Environment, read: (reading: Reading) => T): Readonly<T> =>
  load(given, (reading) => {
    const config = read(reading)
    return () => config
  })

function toReading(given: Environment): Reading {
  const names = { file: SETTINGS_FILE, prefix: 'BANYAN_', otherVariables: [...COMMAND_VARIABLES, 'BANYAN_TEST_'] }
  return createReading<SettingName>(SETTINGS, resolveSettings(SETTINGS, given, names))
}

const readOrigin = ({ text }: Reading, port: number) => text('PUBLIC_URL', `http://localhost:${port}`)

function databaseSettings(reading: Reading): DatabaseConfig {
  const { errors, text, choice } = reading
  const config = {
    databaseUrl: text('DATABASE_URL', '') || null,
    dataDir: readDataDir(reading),
    migrationDatabaseUrl: text('MIGRATION_DATABASE_URL') || null,
    logLevel: choice('LOG_LEVEL', LOG_LEVELS),
  }
  if (config.migrationDatabaseUrl && !config.databaseUrl) errors.push('MIGRATION_DATABASE_URL requires DATABASE_URL.')
  const urls = { DATABASE_URL: config.databaseUrl, MIGRATION_DATABASE_URL: config.migrationDatabaseUrl }
  for (const [name, url] of Object.entries(urls)) {
    errors.push(...(url === null ? [] : mistakesIn(url)).map((message) => `${name} ${message}`))
  }
  return config
}

/** Reads the allowed webhook targets: the internet; in development also this machine. */
function webhookSettings({ text, errors, production, flag }: Reading): TargetRule {
  const ports = text('WEBHOOK_PORTS')
    .split(',')
    .map((port) => Number(port.trim()))
  if (!ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535))
    errors.push('WEBHOOK_PORTS must be a comma-separated list of ports from 1 to 65535.')
  const allowsLoopback = flag('WEBHOOK_LOOPBACK', !production)
  if (production && allowsLoopback) errors.push('WEBHOOK_LOOPBACK cannot be true in production.')
  return { ports, allowsLoopback }
}

/** As OpenTelemetry names them. */
function tracingSettings({ text, ratio: part }: Reading): TracingSettings | null {
  const ratio = part('OTEL_TRACES_SAMPLER_ARG')
  const url = text('OTEL_EXPORTER_OTLP_ENDPOINT')
  return url ? { url, ratio } : null
}

/**
 * Reads keys from the environment; in development, missing ones are created once and kept in the data folder, but only
 * after all other settings are valid.
 */
function readKeyTexts<Name extends keyof KeyTexts>(
  reading: Reading,
  names: readonly Name[],
): () => Pick<KeyTexts, Name> {
  const given = names.map((name) => [name, reading.text(name, '')] as const).filter(([, text]) => text !== '')
  return () => {
    const created = reading.production ? {} : makeKeyTexts(readDataDir(reading))
    return { ...created, ...Object.fromEntries(given) } as Pick<KeyTexts, Name>
  }
}

export { VERSION }

/** Returns what the first line of a log says of the process. */
export const aboutProgram = ({ production }: Pick<Config, 'production'>) => ({
  pid: process.pid,
  version: BUILD,
  mode: production ? 'production' : 'development',
})

/** The path of the main interface: `{base_url}` of the contract. */
export const BASE_PATH = '/v1'

/** The path of the wallet interface: `{wallet_base_url}`. */
export const WALLET_BASE_PATH = '/wallet/v1'
