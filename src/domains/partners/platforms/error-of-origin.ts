/** Pages of apps that are made of web pages; every such app has one of these two. */
const OF_APPS = ['capacitor://localhost', 'ionic://localhost']
const SCHEME_AND_HOST = /^[a-z][\da-z+.-]*:\/\/[^\s/?#@\\]+$/i

const EXAMPLE = 'such as https://app.example.com or http://localhost:5173'

/** Returns why a text is no origin of a page that may be named; undefined when it is one. */
export function errorOfOrigin(text: string): string | undefined {
  if (text === 'null') return 'null is the origin of many pages, of anybody. Name your own.'
  if (text.includes('*')) return 'Must not contain *. Name each origin.'
  if (!SCHEME_AND_HOST.test(text)) {
    return `Must be a scheme and a host, with a port if the page has one, and nothing else, ${EXAMPLE}.`
  }
  if (OF_APPS.includes(text.toLowerCase())) return undefined
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : {}
  if (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')) return undefined
  if (protocol === 'http:') return 'Must begin with https://, except for http://localhost.'
  return `Must be the https origin of a page, ${OF_APPS.join(' or ')}.`
}

/** Returns an origin as browsers send it. */
export function parseOrigin(text: string): string {
  const lower = text.toLowerCase()
  return OF_APPS.includes(lower) ? lower : new URL(text).origin
}
