import { type Day, isDay } from '../date.ts'

/** What a setting accepts. */
export type Kind =
  | { readonly kind: 'text' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** Whole numbers, separated by commas. */
  | { readonly kind: 'integers'; readonly min: number; readonly max: number }
  /** A number of days, and others from later days on: `7,2027-01-01:5`. */
  | { readonly kind: 'days'; readonly min: number; readonly max: number }
  | { readonly kind: 'ratio' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'url'; readonly protocols: readonly string[] }
  /** A URL without a path. */
  | { readonly kind: 'origin'; readonly protocols: readonly string[] }

/** A setting as the reference describes it and as it is checked. */
export type Setting = Kind & {
  /** In Markdown. */
  readonly meaning: string
  readonly fallback?: string
  /** What the reference says where the default depends on something. */
  readonly fallbackText?: string
  /** When it must be set. */
  readonly required?: string
  /** Never printed. Its value may also be in a file, which `NAME_FILE` names. */
  readonly secret?: true
}

/** The settings by name, in the order of the reference. */
export type Settings = Readonly<Record<string, Setting>>

export const WEB = ['http:', 'https:'] as const
export const WEB_URL = { kind: 'url', protocols: WEB } as const
export const PORT = { kind: 'integer', min: 1, max: 65_535 } as const

const RATIO = /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/

const isWithin = (text: string, { min, max }: { min: number; max: number }) =>
  /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max

export const splitList = (text: string): string[] => text.split(',').map((one) => one.trim())

/** A number of days, and the day from which it holds; null: the one that holds before all others. */
export type DaysFrom = { readonly from: Day | null; readonly days: number }

const LATER = /^(\d{4}-\d\d-\d\d):(\d{1,9})$/

/** Returns the numbers of days in the order in which they hold; undefined where the text says none. */
export function splitDays(text: string): DaysFrom[] | undefined {
  const [first = '', ...later] = splitList(text)
  const changes = later.map((one) => LATER.exec(one)).filter((one) => one !== null && isDay(one[1] as Day))
  if (!/^\d{1,9}$/.test(first) || changes.length < later.length) return undefined
  const all = changes.map((one) => ({ from: one?.[1] as Day, days: Number(one?.[2]) }))
  const isInOrder = all.every(({ from }, index) => index === 0 || (all[index - 1]?.from ?? from) < from)
  return isInOrder ? [{ from: null, days: Number(first) }, ...all] : undefined
}

/** Returns a sentence when the setting does not accept this text, which it never contains. */
export function findRejection(name: string, setting: Kind, text: string): string | undefined {
  switch (setting.kind) {
    case 'integer': {
      const { min, max } = setting
      return isWithin(text, setting) ? undefined : `${name} must be a whole number from ${min} to ${max}.`
    }
    case 'integers': {
      const { min, max } = setting
      const isRight = splitList(text).every((one) => isWithin(one, setting))
      return isRight ? undefined : `${name} must be whole numbers from ${min} to ${max}, separated by commas.`
    }
    case 'days': {
      const { min, max } = setting
      return splitDays(text)?.every(({ days }) => isWithin(String(days), setting))
        ? undefined
        : `${name} must be a number of days from ${min} to ${max}, with later ones as 7,2027-01-01:5, in the order of their days.`
    }
    case 'ratio':
      return RATIO.test(text) ? undefined : `${name} must be a number from 0 to 1.`
    case 'flag':
      return text === 'true' || text === 'false' ? undefined : `${name} must be true or false.`
    case 'choice':
      return setting.values.includes(text) ? undefined : `${name} must be one of ${setting.values.join(', ')}.`
    case 'url':
    case 'origin':
      return rejectionOfUrl(name, setting, text)
    case 'text':
      return undefined
  }
}

function rejectionOfUrl(
  name: string,
  { kind, protocols }: Extract<Kind, { protocols: unknown }>,
  text: string,
): string | undefined {
  if (!URL.canParse(text) && protocols.some((protocol) => text.startsWith(`${protocol}//`)))
    return `${name} is no URL: in a user name or a password, write / as %2F, # as %23, ? as %3F, @ as %40 and % as %25.`
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol))
    return `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`
  const { pathname, protocol, username, password } = new URL(text)
  // Nothing could be sent there: `fetch` rejects such a URL, with all of it in its message.
  if (username + password !== '' && WEB.some((web) => web === protocol))
    return `${name} must not have a user name or a password in it.`
  return kind === 'origin' && pathname.replaceAll('/', '') !== '' ? `${name} must not have a path.` : undefined
}
