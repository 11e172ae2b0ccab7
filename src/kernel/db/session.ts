import { accessSync, constants } from 'node:fs'
import type pg from 'pg'
import { StartError } from '../start-error.ts'

/** The schema of all our tables. */
export const SCHEMA = 'banyan'

/**
 * A frozen database must not freeze its callers: the client gives up last, the server before it, a lock before that. A
 * timed-out statement may still have been executed; unique keys make a retry harmless.
 */
const LOCK_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 4_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000

/** What is asked of the session of a connection, by the names of PostgreSQL. */
export type Session = Readonly<Record<string, string | number>>

/** What every connection relies on: names of tables, days and times as they go out, and what a statement sees. */
export const BASE = {
  search_path: SCHEMA,
  timezone: 'UTC',
  DateStyle: 'ISO',
  default_transaction_isolation: 'read committed',
} as const satisfies Session

/** Of migrations and the job queue, whose statements take their time. */
export const UNHURRIED = { ...BASE, statement_timeout: 0 } as const satisfies Session

type ServiceOptions = { withoutTimeouts?: boolean; timeoutFactor?: number; readOnly?: boolean }

export const serviceSession = ({
  withoutTimeouts = false,
  timeoutFactor = 1,
  readOnly = false,
}: ServiceOptions = {}) => ({
  ...BASE,
  statement_timeout: withoutTimeouts ? 0 : STATEMENT_TIMEOUT_MS * timeoutFactor,
  lock_timeout: LOCK_TIMEOUT_MS * timeoutFactor,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS * timeoutFactor,
  // For solid-state storage. At the default of 4, lookups with an optional condition are planned again at every call.
  random_page_cost: 1.1,
  ...(readOnly && { default_transaction_read_only: 'on' }),
})

/** A session that is not the one that was asked for: something between here and PostgreSQL does not pass it on. */
export class UnfitSession extends StartError {
  readonly says: string
  readonly remedy: string
  constructor({ says, remedy }: { says: string; remedy: string }) {
    super(`${says} ${remedy}`)
    this.says = says
    this.remedy = remedy
  }
}

/** Returns how to connect with such a session, whose `onConnect` is for each new connection, before its first statement. */
export function sessionConfig(url: string, session: Session) {
  const { address, given } = splitOptions(url)
  const conflict = conflictIn(url)
  if (conflict !== undefined) throw new StartError(`The address of the database ${conflict}`)
  const asked = Object.entries(session).map(([name, value]) => `-c ${name}=${escaped(String(value))}`)
  return {
    connectionString: address,
    options: [...given, ...asked].join(' '), // of two, the last one holds
    onConnect: (client: pg.ClientBase) => checkSession(client, session),
  }
}

/** How a setting reads when it is as asked; what is not here only makes statements faster or rejects more of them. */
const HOLDS: Readonly<Record<string, (actual: string, asked: string) => boolean>> = {
  search_path: (actual, asked) => actual.replaceAll('"', '') === asked,
  timezone: (actual) => /^(Etc\/)?(UTC|UCT|Universal|Zulu)$/i.test(actual),
  DateStyle: (actual) => /^ISO\b/.test(actual), // the order of day and month is that of input in other forms
  default_transaction_isolation: Object.is,
  statement_timeout: Object.is,
  lock_timeout: Object.is,
  idle_in_transaction_session_timeout: Object.is,
}

/** The limits of a role are those of the service. Work that has none takes them off itself. */
const NO_LIMIT = '0'

/** In the unit of each setting. PostgreSQL writes some names otherwise than they are asked for. */
const READ = 'select lower(name) as name, setting from pg_settings where lower(name) = any($1)'

async function checkSession(client: pg.ClientBase, session: Session): Promise<void> {
  const compared = Object.entries(session).flatMap(([name, value]) => (name in HOLDS ? [[name, String(value)]] : []))
  const unlike = await unlikeIn(client, compared as [string, string][])
  const limits = unlike.filter(({ asked }) => asked === NO_LIMIT)
  for (const { name } of limits) await client.query(`set ${name} = ${NO_LIMIT}`)
  const [first] = limits.length > 0 ? await unlikeIn(client, compared as [string, string][]) : unlike
  if (first) throw new UnfitSession(describeDifference(first, roleAt(client)))
}

async function unlikeIn(client: pg.ClientBase, compared: readonly [name: string, asked: string][]) {
  const names = compared.map(([name]) => name.toLowerCase())
  const { rows } = await client.query<{ name: string; setting: string }>(READ, [names])
  const actual = new Map(rows.map(({ name, setting }) => [name, setting]))
  return compared
    .map(([name, asked]) => ({ name, asked, actual: actual.get(name.toLowerCase()) ?? '' }))
    .filter((one) => !HOLDS[one.name]?.(one.actual, one.asked))
}

/** Which the driver knows. */
const roleAt = (client: pg.ClientBase): string => (client as pg.Client).user ?? ''

const describeDifference = (
  { name, asked, actual }: { name: string; asked: string; actual: string },
  role: string,
) => ({
  says: `The session of the database has ${name} ${actual || 'unset'} and not ${asked}: a pooler in between drops what the program asks for.`,
  remedy:
    'Connect to PostgreSQL itself, or to PgBouncer in session mode with the settings on the role: ' +
    `\`alter role ${role} set ${name} = ${/^\w+$/.test(asked) ? asked : `'${asked}'`}\`. ` +
    'docs/operators/install.md lists them.',
})

/**
 * Returns what is wrong with the parameters of an address, as the rest of a sentence: they may not change what the program
 * relies on. Undefined when they do not.
 */
export function conflictIn(url: string): string | undefined {
  const own = new Map(Object.entries(serviceSession()).map(([name, value]) => [name.toLowerCase(), { name, value }]))
  for (const [given, value] of settingsIn(url)) {
    const ours = own.get(given.toLowerCase())
    if (ours === undefined || isSame(ours, value)) continue
    return `sets ${ours.name}, which the program sets itself, to ${ours.value}: take it out of the address.`
  }
  return undefined
}

const isSame = ({ name, value }: { name: string; value: string | number }, given: string) =>
  HOLDS[name]?.(given, String(value)) ?? given === String(value)

/** The parameters of an address that the driver sends as settings, besides those in `options`. */
const DRIVER_SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

function settingsIn(url: string): [name: string, value: string][] {
  const query = new URLSearchParams(readQuery(url))
  const direct = DRIVER_SETTINGS.flatMap((name): [string, string][] => {
    const value = query.get(name)
    return value === null ? [] : [[name, value]]
  })
  return [...direct, ...readOptions(splitOptions(url).given.join(' '))]
}

const readQuery = (url: string): string => /\?([^#]*)/.exec(url)?.[1] ?? ''

/** The driver would take `options` of the address, and drop those of the program. */
function splitOptions(url: string): { address: string; given: string[] } {
  const given = new URLSearchParams(readQuery(url)).getAll('options')
  if (given.length === 0) return { address: url, given }
  const [start = ''] = url.split('?', 1)
  const others = readQuery(url)
    .split('&')
    .filter((parameter) => !/^options(=|$)/.test(parameter))
  return { address: others.length > 0 ? `${start}?${others.join('&')}` : start, given }
}

const escaped = (value: string): string => value.replaceAll(/[\s\\]/g, String.raw`\$&`)

const SWITCH = /^(?:-c|--)(?<name>[^=]+)=(?<value>[^]*)$/

/** Reads `-c name=value` and `--name=value` as PostgreSQL does, which escapes with backslashes. */
function readOptions(text: string): [name: string, value: string][] {
  const words = [...text.matchAll(/(?:\\[^]|[^\s\\])+/g)].map(([word]) => word.replaceAll(/\\([^])/g, '$1'))
  const switches = words.map((word, index) => (words[index - 1] === '-c' ? `-c${word}` : word))
  return switches.flatMap((word): [string, string][] => {
    const { name, value } = SWITCH.exec(word)?.groups ?? {}
    return name === undefined || value === undefined ? [] : [[name.trim().replaceAll('-', '_'), value]]
  })
}

/** The parameters of a URL that name files, which the driver reads as it connects. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Returns what is wrong with the parameters of a URL of the database, each as the rest of a sentence. */
export const mistakesIn = (url: string): string[] =>
  [conflictIn(url), missingFileIn(url)].filter((message) => message !== undefined)

/** Returns what is wrong with a file that a URL of the database names; undefined when all can be read. */
function missingFileIn(url: string): string | undefined {
  const named = new URLSearchParams(readQuery(url))
  for (const name of FILES) {
    const path = named.get(name)
    if (path === null || path === 'system') continue
    try {
      accessSync(path, constants.R_OK)
    } catch (error) {
      return `names ${path} in ${name}, which cannot be read: ${(error as NodeJS.ErrnoException).code}.`
    }
  }
  return undefined
}
