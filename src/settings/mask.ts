import type { Setting } from '../kernel/settings/setting.ts'

const HIDDEN = '***'

/** Returns a text as it may be shown: nothing of a secret, and of a URL everything but its password. */
export function maskedText({ kind, secret }: Setting, text: string): string {
  if (text === '') return text
  const isUrl = kind === 'url' || kind === 'origin'
  if (secret && !isUrl) return HIDDEN
  if (!isUrl) return text
  return URL.canParse(text) ? maskedUrl(text) : secret ? HIDDEN : text
}

/** The password is also accepted as a parameter, and so are those of keys for TLS. */
function maskedUrl(text: string): string {
  const url = new URL(text)
  const parameters = [...url.searchParams.keys()].filter((name) => /pass|secret|token|key/i.test(name))
  if (url.password === '' && parameters.length === 0) return text
  if (url.password !== '') url.password = HIDDEN
  for (const name of parameters) url.searchParams.set(name, HIDDEN)
  return url.href
}
