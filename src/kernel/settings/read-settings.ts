import type { Given, Resolved } from './resolve-settings.ts'
import {
  type DaysFrom,
  findRejection,
  type Kind,
  type Setting,
  type Settings,
  splitDays,
  splitList,
} from './setting.ts'

/** A setting with the value that holds; `source` is `default` where it is not set, `unused` where nothing reads it. */
export type Effective = {
  readonly name: string
  readonly text: string
  readonly source: Given['source'] | 'default' | 'unused'
}

/** Readers of settings. They add a sentence to `errors` for each invalid one. */
export type Reading<Name extends string = string> = Readonly<ReturnType<typeof createReading<Name>>>

export type AmazonAccess = {
  /** null: Amazon's own for the region. */
  endpoint: string | null
  /** null: where the SDK looks by itself, such as the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

const MODE = 'NODE_ENV'

/** A setting that is required so has a default that holds outside production only. */
const IN_PRODUCTION = 'in production'

/** Returns the readers of the settings in this table. `NODE_ENV` says whether the defaults of development hold. */
export function createReading<Name extends string>(
  table: Settings & Readonly<Record<Name, Setting>>,
  resolved: Resolved,
) {
  const errors = [...resolved.errors]
  const used = new Map<string, string>()
  const given = (name: Name) => resolved.given.get(name)?.text ?? ''
  const production = given(MODE as Name) === 'production'

  /** Adds a sentence for a missing or rejected value, the first time that the setting is read. */
  function check(name: Name, kind: Kind): string | undefined {
    const found = given(name)
    const rejection = found === '' ? undefined : findRejection(name, kind, found)
    if (used.has(name)) return rejection
    if (rejection !== undefined) errors.push(rejection)
    if (found === '' && production && table[name].required === IN_PRODUCTION)
      errors.push(`${name} must be set in production.`)
    return rejection
  }

  /** Returns the text that is set, or the default where it is missing or rejected. */
  function text(name: Name, fallback = table[name].fallback ?? '', kind: Kind = table[name]): string {
    const rejection = check(name, kind)
    const found = given(name)
    used.set(name, found === '' ? fallback : found)
    return found === '' || rejection !== undefined ? fallback : found
  }

  /** As `text`; a URL loses the slash at its end, because paths are appended to it. */
  function textWithoutSlash(name: Name, fallback?: string): string {
    const found = text(name, fallback)
    return 'protocols' in table[name] ? found.replace(/\/+$/, '') : found
  }

  /** Returns the texts of settings that must be set, where `when` says why. */
  function all(names: readonly Name[], when: string): string[] {
    return names.map((name) => {
      if (given(name) === '') errors.push(`${name} must be set when ${when}.`)
      return text(name, '')
    })
  }

  text(MODE as Name)
  return {
    errors,
    production,
    /** Returns the value that is set; empty when there is none. */
    given,
    text: textWithoutSlash,
    all,
    integer: (name: Name, fallback?: number) => Number(text(name, fallback?.toString())),
    integers: (name: Name): readonly number[] => splitList(text(name)).map(Number),
    days: (name: Name): readonly DaysFrom[] => splitDays(text(name)) ?? [],
    ratio: (name: Name) => Number(text(name)),
    flag<O extends boolean | null>(name: Name, fallback: O): boolean | O {
      const found = text(name, fallback === null ? '' : String(fallback))
      return found === '' ? fallback : found === 'true'
    },
    /** Returns one of these values, which may be fewer than the setting accepts. */
    choice: <W extends string>(name: Name, values: readonly W[], fallback?: W) =>
      text(name, fallback, { kind: 'choice', values }) as W,
    /** Returns a URL with the slash at its end, which other texts of URLs lose. */
    urlAsGiven(name: Name, fallback: string, protocols?: readonly string[]): string {
      const kind = table[name]
      return text(name, fallback, protocols && 'protocols' in kind ? { ...kind, protocols } : kind)
    },
    isInFile: (name: Name) => resolved.given.get(name)?.source.startsWith('file named') === true,
    /** Returns the endpoint and the keys of an AWS service; null uses the default chain of its SDK. */
    amazon(names: { endpoint: Name; accessKeyId: Name; secretAccessKey: Name }): AmazonAccess {
      const [accessKeyId, secretAccessKey] = [text(names.accessKeyId), text(names.secretAccessKey)]
      if (!accessKeyId !== !secretAccessKey)
        errors.push(`${names.accessKeyId} and ${names.secretAccessKey} must be set together, or neither.`)
      return {
        endpoint: textWithoutSlash(names.endpoint) || null,
        credentials: accessKeyId ? { accessKeyId, secretAccessKey } : null,
      }
    },
    /** Checks the settings that nothing has read: an error there would show when they are needed. */
    checkOthers(): void {
      for (const name of resolved.given.keys() as Iterable<Name>)
        if (!used.has(name) && given(name) !== '') check(name, table[name])
    },
    effective: () => listEffective(table, used, resolved),
  }
}

const listEffective = (table: Settings, used: ReadonlyMap<string, string>, { given }: Resolved): Effective[] =>
  Object.keys(table).map((name) => {
    const found = given.get(name)
    const text = used.get(name)
    if (found) return { name, text: found.text, source: text === undefined ? 'unused' : found.source }
    return { name, text: text ?? '', source: text === undefined ? 'unused' : 'default' }
  })
