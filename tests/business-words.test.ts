import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSources } from './support/sources.ts'

const NOUNS =
  /\b(?:users?|dependants?|nominees?|sponsors?|platforms?|benefits?|polic(?:y|ies)|insurance|insurers?|premiums?|enrol\w*|grace|consultations?|wallets?|ledgers?|onboarding|webhooks?|administrators?|health cards?)\b/i
/** Other meanings, matched with `path: line`. */
const OTHER_MEANINGS = [
  /(?:content|security|referrer|scheduling|page|RateLimit).?policy|\bPOLICY\b/i, // names of HTTP and of Node
  /^src\/kernel\/embedded-postgres\/embedded-home\.ts: .*(?:platform|user "nobody")/, // of the operating system
  /^src\/kernel\/pdf-inspection\/watch\.ts: .*\buser\b.*\bsystem\b/, // CPU time
  /^src\/kernel\/(?:db\/(?:database|session)\.ts: .*\bpg\.Client|(?:outbound\/public-address|settings\/setting)\.ts: .*user name)/, // of a URL
  /^src\/kernel\/crypto\/sign-webhook\.ts: /, // Standard Webhooks, a format of others
  /^src\/kernel\/http\/openapi\.ts: .*\bwebhooks\b/, // OpenAPI
]
const inWords = (line: string) => line.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ')

describe('src/kernel', () => {
  it('has no business word in its names and texts', () => {
    const kernel = readSources('src').filter(({ path }) => path.startsWith('src/kernel/'))
    assert(kernel.length > 80, 'it is read at all')
    const places = kernel.flatMap(({ path, code }) =>
      code
        .split('\n')
        .filter((line) => NOUNS.test(inWords(line)))
        .map((line) => `${path}: ${line.trim()}`),
    )
    assert.deepEqual(
      places.filter((place) => !OTHER_MEANINGS.some((meaning) => meaning.test(place))),
      [],
    )
    for (const meaning of OTHER_MEANINGS)
      assert(
        places.some((place) => meaning.test(place)),
        `${meaning} is needed`,
      )
  })
})
