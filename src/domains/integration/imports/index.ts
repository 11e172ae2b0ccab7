import { createImport } from './create-import.ts'
import { listImportRows } from './list-import-rows.ts'
import { readImport } from './read-import.ts'

export type { KindName as ImportKind } from './kind-of.ts'
export { CHUNK as IMPORTED_ROWS } from './store.ts'
export { deleteOldImports, type ImportContext, runImports } from './run-imports.ts'

export const importOperations = [createImport, readImport, listImportRows]
