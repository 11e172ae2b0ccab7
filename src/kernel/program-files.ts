import { extname, join } from 'node:path'

/** `.ts` in a checkout. The package has the same layout, with the compiled modules below `dist`. */
const SUFFIX = extname(import.meta.filename)
export const IS_CHECKOUT = SUFFIX === '.ts'
const ROOT = join(import.meta.dirname, IS_CHECKOUT ? '../..' : '../../..')
const MODULES = IS_CHECKOUT ? ROOT : join(ROOT, 'dist')

/** How a person calls the program here. */
export const COMMAND = IS_CHECKOUT ? 'npm run -s banyan --' : 'banyan'

/** Returns the path of a file or folder that is not code, given as in a checkout. */
export const programFile = (path: string): string => join(ROOT, path)

/** Where packing writes the commit. */
export const COMMIT_FILE = join(ROOT, 'dist/commit')

/** Returns the path of the module that this source has become, for where a module is not imported but started. */
export const programModule = (source: `${string}.ts`): string => join(MODULES, source.replace(/\.ts$/, SUFFIX))
