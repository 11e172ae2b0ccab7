import { readFileSync } from 'node:fs'
import { findNearest } from './nearest.ts'
import type { Settings } from './setting.ts'

/** Variables by name, as the environment has them. */
export type Environment = Record<string, string | undefined>

/** Where a value comes from. */
export type Source =
  | 'environment'
  | 'settings file'
  | 'file named in the environment'
  | 'file named in the settings file'

export type Given = { readonly text: string; readonly source: Source }

/** The values that are set, by name, and a sentence for each that cannot be read or is not known. */
export type Resolved = { readonly given: ReadonlyMap<string, Given>; readonly errors: readonly string[] }

type Names = {
  /** The variable that names the file of settings. */
  readonly file: string
  /** Unknown variables that begin so are errors; others only where they resemble a setting that is not set. */
  readonly prefix: string
  /** Variables that begin so and are no settings. */
  readonly otherVariables: readonly string[]
}

const FILE_ENDING = '_FILE'
/** Shorter names resemble too much else. */
const TYPO_LENGTH_MIN = 6
const SCHEMA = '$schema'

/**
 * Collects the settings from the environment, from the files that it names, and from the file of settings, in this order: an
 * empty variable counts as not set.
 */
export function resolveSettings(table: Settings, environment: Environment, names: Names): Resolved {
  const errors: string[] = []
  const given = new Map<string, Given>()
  const path = environment[names.file]
  const inFile = path ? readSettingsFile(path, names.file, errors) : {}
  const sources: [Environment, Source, Source][] = [
    [environment, 'environment', 'file named in the environment'],
    [inFile, 'settings file', 'file named in the settings file'],
  ]
  for (const [values, source, fileSource] of sources) {
    for (const [name, { secret }] of Object.entries(table)) {
      const text = values[name]
      const file = secret && values[`${name}${FILE_ENDING}`]
      if (text && file) errors.push(`${name} and ${name}${FILE_ENDING} must not both be set.`)
      if (given.has(name)) continue
      if (text) given.set(name, { text, source })
      else if (file) given.set(name, { text: readSecret(name, file, errors), source: fileSource })
    }
  }
  const knownNames = listNames(table)
  errors.push(
    ...unknownKeys(Object.keys(inFile), knownNames),
    ...unknownVariables(environment, { knownNames, given, names }),
  )
  return { given, errors }
}

const listNames = (table: Settings): string[] =>
  Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}${FILE_ENDING}`] : [name]))

function readSecret(name: string, path: string, errors: string[]): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text === '') errors.push(`${name}${FILE_ENDING} names an empty file.`)
    return text
  } catch (error) {
    errors.push(`${name}${FILE_ENDING} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
    return ''
  }
}

/** Returns the settings in a JSON file as texts. No sentence quotes the file: a secret may stand where it is malformed. */
function readSettingsFile(path: string, called: string, errors: string[]): Record<string, string> {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    errors.push(`${called} ${code === undefined ? 'is not JSON' : `cannot be read: ${code}`}.`)
    return {}
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    errors.push(`${called} must contain one JSON object.`)
    return {}
  }
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    if (name === SCHEMA) continue
    if (['string', 'number', 'boolean'].includes(typeof value)) texts[name] = String(value)
    else errors.push(`${name} in the settings file must be a string, a number or a boolean.`)
  }
  return texts
}

function unknownKeys(keys: string[], knownNames: string[]): string[] {
  return keys
    .filter((key) => !knownNames.includes(key))
    .map((key) => `${key} in the settings file is no setting${hint(key, knownNames)}`)
}

type Known = { knownNames: string[]; given: ReadonlyMap<string, Given>; names: Names }

/** Variables of other programs are left alone, unless one is almost a setting that is missing. */
function unknownVariables(environment: Environment, { knownNames, given, names }: Known): string[] {
  const unset = knownNames.filter((name) => !given.has(name.replace(/_FILE$/, '')))
  return Object.keys(environment)
    .filter((name) => environment[name] && !knownNames.includes(name) && name !== names.file)
    .filter((name) => !names.otherVariables.some((other) => name.startsWith(other)))
    .flatMap((name) => {
      if (name.startsWith(names.prefix)) return [`${name} is no setting${hint(name, [...knownNames, names.file])}`]
      const nearest = name.length < TYPO_LENGTH_MIN ? undefined : findNearest(name, unset)
      return nearest === undefined ? [] : [`${name} is no setting. Is ${nearest} meant?`]
    })
}

function hint(name: string, knownNames: string[]): string {
  const nearest = findNearest(name, knownNames)
  return nearest === undefined ? '.' : `. Is ${nearest} meant?`
}
