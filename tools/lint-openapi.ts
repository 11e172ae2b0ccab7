import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { VERSION } from '../src/settings/config.ts'
import { asyncApi } from '../src/domains/integration/events/index.ts'
import { openApiDocument } from './openapi-document.ts'

/**
 * Checks the OpenAPI document against the recommended rules of Redocly and Spectral, and the AsyncAPI document against
 * those of Spectral; exits with 1 on any error or warning. Both run as libraries, because their command lines check for
 * updates and send usage data.
 */

/** A public URL as in an installation, because one of the rules forbids localhost. */
const ORIGIN = 'https://banyan.test'
const createApi = JSON.stringify(await openApiDocument(ORIGIN))
const events = JSON.stringify(asyncApi({ origin: ORIGIN, version: VERSION }))
const { oas, asyncapi } = spectralRulesets

/** Most tools read 3.0, and we do not know the mail address of an installation's operator. */
const NOT_OURS = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' } as const
/** A login only redirects the browser. Spectral has this rule too, but accepts a redirect as success. */
const LAX = { 'operation-2xx-response': 'off' } as const

const offencesOf = {
  'openapi.json': [...(await redocly(createApi)), ...(await spectral(createApi, { extends: [oas] }))],
  'asyncapi.json': await spectral(events, { extends: [asyncapi], rules: NOT_OURS }),
}
for (const [name, offences] of Object.entries(offencesOf)) {
  for (const offence of offences) console.error(offence)
  console.log(`${name}: ${offences.length} offences against the rules`)
  if (offences.length > 0) process.exitCode = 1
}

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: LAX })
  const problems = await lintFromString({ source, config })
  return problems.map(
    ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message.split('\n', 1)[0]}`,
  )
}

type Ruleset = ConstructorParameters<typeof spectralCore.Ruleset>[0]

async function spectral(document: string, ruleset: Ruleset): Promise<string[]> {
  const linter = new spectralCore.Spectral()
  linter.setRuleset(new spectralCore.Ruleset(ruleset))
  const results = await linter.run(document)
  return results.map(({ code, message, path }) => `spectral ${code} /${path.join('/')}: ${message}`)
}
