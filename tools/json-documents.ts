import { VERSION } from '../src/settings/config.ts'
import { asyncApi, eventsSchema } from '../src/domains/integration/events/index.ts'
import { settingsSchema } from '../src/settings/schema.ts'
import { openApiDocument, ORIGIN } from './openapi-document.ts'

/** Returns the committed documents generated from the code, by file name. */
export async function jsonDocuments(): Promise<Record<string, string>> {
  const documents = {
    'openapi.json': await openApiDocument(),
    'asyncapi.json': asyncApi({ origin: ORIGIN, version: VERSION }),
    'events.schema.json': eventsSchema(),
    'settings.schema.json': settingsSchema(),
  }
  return Object.fromEntries(
    Object.entries(documents).map(([name, document]) => [name, `${JSON.stringify(document, null, 2)}\n`]),
  )
}
