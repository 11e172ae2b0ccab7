import { PORT, type Settings, WEB, WEB_URL } from '../kernel/settings/setting.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

const POSTGRES_URL = { kind: 'url', protocols: ['postgres:', 'postgresql:'] } as const

/** Settings of the program and its database. */
export const SERVER_SETTINGS = {
  NODE_ENV: {
    kind: 'choice',
    values: ['development', 'production', 'test'],
    meaning: '`development`, `test` or `production`',
    fallback: 'development',
  },
  HOST: {
    kind: 'text',
    meaning: 'where the API and the sandbox listen',
    fallbackText: '`127.0.0.1`; in production `0.0.0.0`',
  },
  PORT: { ...PORT, meaning: 'port of the API', fallback: '8080' },
  METRICS_HOST: {
    kind: 'text',
    meaning:
      'where `/metrics` listens, in production too: it has no authentication. Where Prometheus runs on' +
      ' another machine or in another container, an address of this one that only Prometheus reaches',
    fallback: '127.0.0.1',
  },
  METRICS_PORT: {
    ...PORT,
    meaning: "port of `/metrics` (Prometheus), which is not on the API's port",
    fallback: '9464',
  },
  SANDBOX_PORT: { ...PORT, meaning: 'port of the sandbox, outside production', fallback: '8081' },
  PUBLIC_URL: {
    kind: 'origin',
    protocols: WEB,
    meaning:
      'scheme and host under which callers reach the API, without a path; also the issuer in its ' +
      'tokens. With https, browsers are kept to https for a year, on subdomains too ' +
      '(`Strict-Transport-Security`)',
    fallbackText: '`http://localhost:$PORT`',
    required: 'in production',
  },
  TRUSTED_PROXIES: {
    kind: 'integer',
    min: 0,
    max: 10,
    meaning: 'number of proxies in front that append to `X-Forwarded-For`, with or without a port',
    fallback: '0',
  },
  PROCESSES: {
    kind: 'integer',
    min: 1,
    max: 64,
    meaning: 'API processes, 1 to 64',
    fallbackText: 'one less than the number of cores, 1 to 16',
  },
  DATA_DIR: {
    kind: 'text',
    meaning: 'folder of the embedded database, of documents, and of keys made in development',
    fallback: '.banyan',
  },
  LOG_LEVEL: {
    kind: 'choice',
    values: LOG_LEVELS,
    meaning: '`trace`, `debug`, `info`, `warn`, `error` or `silent`; JSON lines on stderr',
    fallback: 'info',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...WEB_URL,
    meaning:
      'URL of an OpenTelemetry collector for traces (OTLP over HTTP), without `/v1/traces`; see ' +
      '[Operations](../operations.md)',
    fallbackText: 'no traces',
  },
  OTEL_TRACES_SAMPLER_ARG: { kind: 'ratio', meaning: 'ratio of traces to record, 0 to 1', fallback: '1' },
  DATABASE_URL: {
    ...POSTGRES_URL,
    meaning:
      'a PostgreSQL, version 15 or newer, itself: behind a pooler see ' +
      '[Install](../operators/install.md#the-address-of-the-database)',
    fallbackText: 'the embedded database',
    required: 'in production',
    secret: true,
  },
  MIGRATION_DATABASE_URL: {
    ...POSTGRES_URL,
    meaning:
      'the same database as the role that owns the tables, for `migrate` and `start`; the role of ' +
      '`DATABASE_URL` is then granted only what it needs',
    fallbackText: '`DATABASE_URL`',
    secret: true,
  },
  DATABASE_POOL_SIZE: {
    kind: 'integer',
    min: 2,
    max: 100,
    meaning:
      'connections for requests, 2 to 100, divided among the processes, at least 2 each; the job queue' +
      ' has up to 3 more, a worker two that listen',
    fallbackText: '`8`, or 4 for each of `PROCESSES`',
  },
  SHARE_STATEMENTS: {
    kind: 'flag',
    meaning:
      'combine concurrent hot reads and writes in one statement; a cluster needs a statement per user,' +
      ' so `true` is refused there',
    fallbackText: '`true` on one PostgreSQL, `false` on a Citus cluster',
  },
} as const satisfies Settings
