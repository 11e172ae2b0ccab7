/** Settings by name, as the environment has them. */
export type Environment = Record<string, string | undefined>

const MODES = ['development', 'production', 'test']

/** Readers of settings. They add a sentence to `errors` for each invalid one. */
export type Reading = ReturnType<typeof createReading>

/** Returns the readers of settings. `NODE_ENV` says whether the defaults of development hold. */
export function createReading(environment: Environment, errors: string[] = []) {
  const mode = environment['NODE_ENV'] ?? 'development'
  if (!MODES.includes(mode)) errors.push('NODE_ENV must be development, test or production.')
  const production = mode === 'production'
  const integer = (name: string, { fallback, min, max }: { fallback: number; min: number; max: number }): number => {
    const text = environment[name]
    if (!text) return fallback
    const value = Number(text)
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value
    errors.push(`${name} must be a whole number from ${min} to ${max}.`)
    return fallback
  }
  const url = (name: string, text: string, protocols = ['http:', 'https:']): string => {
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text.replace(/\/+$/, '')
    errors.push(`${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`)
    return text
  }
  /** Returns the texts of settings that must be set, where `when` says why. */
  const all = (names: readonly string[], when: string): string[] =>
    names.map((name) => {
      if (!environment[name]) errors.push(`${name} must be set when ${when}.`)
      return environment[name] ?? ''
    })
  return {
    environment,
    errors,
    production,
    integer,
    url,
    all,
    /** Returns a text with a default that does not hold in production. */
    required: (name: string, fallback: string): string => {
      if (production && !environment[name]) errors.push(`${name} must be set in production.`)
      return environment[name] || fallback
    },
    /** Returns the endpoint and the keys of an AWS service; null uses the default chain of its SDK. */
    amazon: (names: { endpoint: string; accessKeyId: string; secretAccessKey: string }) => {
      const endpoint = environment[names.endpoint]
      const accessKeyId = environment[names.accessKeyId] || ''
      const secretAccessKey = environment[names.secretAccessKey] || ''
      if (!accessKeyId !== !secretAccessKey)
        errors.push(`${names.accessKeyId} and ${names.secretAccessKey} must be set together, or neither.`)
      return {
        endpoint: endpoint ? url(names.endpoint, endpoint) : null,
        credentials: accessKeyId ? { accessKeyId, secretAccessKey } : null,
      }
    },
    port: (name: string, fallback: number) => integer(name, { fallback, min: 1, max: 65_535 }),
    origin: (name: string, text: string) => {
      const origin = url(name, text)
      if (URL.canParse(origin) && new URL(origin).pathname !== '/') errors.push(`${name} must not have a path.`)
      return origin
    },
    postgres: (name: string) => {
      const text = environment[name]
      return text ? url(name, text, ['postgres:', 'postgresql:']) : null
    },
    fraction: (name: string, fallback: number): number => {
      const text = environment[name]
      if (!text) return fallback
      if (/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text)) return Number(text)
      errors.push(`${name} must be a number from 0 to 1.`)
      return fallback
    },
    flag: <O extends boolean | null>(name: string, fallback: O): boolean | O => {
      const text = environment[name]
      if (!text) return fallback
      if (text === 'true' || text === 'false') return text === 'true'
      errors.push(`${name} must be true or false.`)
      return fallback
    },
    oneOf: <W extends string>(name: string, { fallback, values }: { fallback: W; values: readonly W[] }): W => {
      const text = environment[name] || fallback
      const value = values.find((known) => known === text)
      if (value === undefined) errors.push(`${name} must be one of ${values.join(', ')}.`)
      return value ?? fallback
    },
  }
}
