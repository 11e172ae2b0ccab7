import { writeFileSync } from 'node:fs'

/** The variable that names where a run writes the files that failed, for who runs them once more. */
export const FAILED_FILES = 'BANYAN_FAILED_FILES'

/**
 * Writes the paths of the test files that failed, relative to the checkout, where `FAILED_FILES` asks for it. Not called when something
 * failed that is in no file.
 */
export function noteFailedFiles(files: string[]): void {
  const path = process.env[FAILED_FILES]
  if (path !== undefined) writeFileSync(path, JSON.stringify(files))
}
