import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { VERSION } from '../src/config.ts'
import { asyncApi } from '../src/domains/events/index.ts'
import { openApiDocument } from './openapi-document.ts'

/**
 * Holds the OpenAPI document to the recommended rules of Redocly and Spectral, and the AsyncAPI document to those of Spectral; any error or warning ends it with 1. Both run
 * as libraries: their command lines look for updates and report that they were used.
 */

/** As an installation would serve it: that nobody publishes addresses of their own machine is one of the rules. */
const ORIGIN = 'https://banyan.test'
const openApi = JSON.stringify(await openApiDocument(ORIGIN))
const events = JSON.stringify(asyncApi({ origin: ORIGIN, version: VERSION }))
const { oas, asyncapi } = spectralRulesets

/** 3.0 is what most tools read, and whoever runs an installation has no mail address that we know. */
const NOT_OURS = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' } as const
/** A browser that logs in is only redirected. Spectral has this rule too, and takes a redirect for a success. */
const LAX = { 'operation-2xx-response': 'off' } as const

const offencesOf = {
  'openapi.json': [...(await redocly(openApi)), ...(await spectral(openApi, { extends: [oas] }))],
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
