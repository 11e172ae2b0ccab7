import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { openApiDocument } from './openapi-document.ts'

/**
 * Holds the OpenAPI document to the recommended rules of Redocly and Spectral; any error or warning ends it with 1. Both run
 * as libraries: their command lines look for updates and report that they were used.
 */

/** As an installation would serve it: that nobody publishes addresses of their own machine is one of the rules. */
const document = JSON.stringify(await openApiDocument('https://banyan.test'))

/** A browser that logs in is only led on. Spectral has this rule too, and takes a redirect for the success that it is. */
const LAX = { 'operation-2xx-response': 'off' } as const

const offences = [...(await redocly()), ...(await spectral())]
for (const offence of offences) console.error(offence)
console.log(`openapi.json: ${offences.length} offences against the rules of Redocly and Spectral`)
process.exitCode = offences.length === 0 ? 0 : 1

async function redocly(): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: LAX })
  const problems = await lintFromString({ source: document, config })
  return problems.map(
    ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message.split('\n', 1)[0]}`,
  )
}

async function spectral(): Promise<string[]> {
  const linter = new spectralCore.Spectral()
  linter.setRuleset(new spectralCore.Ruleset({ extends: [spectralRulesets.oas] }))
  const results = await linter.run(document)
  return results.map(({ code, message, path }) => `spectral ${code} /${path.join('/')}: ${message}`)
}
