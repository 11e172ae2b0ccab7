import { type ApiDocument, fileOf, operationsOf } from './document.ts'
import { groupsFile } from './groups.ts'
import { idsFile } from './ids.ts'
import { operationsFile } from './operations.ts'
import { schemasFile } from './schemas.ts'

/** Returns the generated files of the client, by their path. */
export function clientFiles(openApi: object): Record<string, string> {
  const document = openApi as ApiDocument
  const operations = operationsOf(document)
  const { schemas } = document.components
  return {
    'client/src/generated/version.ts': fileOf(`export const VERSION = '${document.info.version}'`),
    'client/src/generated/ids.ts': idsFile(document, operations),
    'client/src/generated/schemas.ts': schemasFile(document),
    'client/src/generated/operations.ts': operationsFile(operations, schemas),
    'client/src/generated/groups.ts': groupsFile(operations, schemas),
  }
}
