import { alertsPage } from './alerts-page.ts'
import { commandsPage } from './commands-page.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { fieldCodesPage } from './field-codes-page.ts'
import { metricsPage } from './metrics-page.ts'
import { operationsPages } from './operations-pages.ts'
import { orderPage } from './order-page.ts'
import { roleFiles } from './roles-page.ts'
import { settingsReference } from '../settings-reference.ts'
import { stateFiles } from './state-files.ts'
import type { OpenApi } from './openapi-parts.ts'

/** Returns the generated pages of the handbook and their pictures, by path: everything that the code already says. */
export async function referencePages(openApi: object): Promise<Record<string, string>> {
  const document = openApi as OpenApi
  const files = {
    'errors.md': errorsPage(),
    'field-codes.md': fieldCodesPage(),
    'events.md': eventsPage(),
    'order.md': orderPage(),
    ...roleFiles(document),
    'settings.md': settingsReference(),
    'commands.md': await commandsPage(),
    'metrics.md': metricsPage(),
    'alerts.md': alertsPage(),
    ...stateFiles(),
    ...operationsPages(document),
  }
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`docs/reference/${name}`, text]))
}
