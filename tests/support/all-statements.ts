import { readSources } from './sources.ts'

const DATABASE = /^src\/kernel\/db\//

/** Loads every module that may make statements: commands load theirs only when they run. */
export async function loadAllStatements(): Promise<void> {
  const modules = readSources('src').filter(
    ({ path, imports }) =>
      DATABASE.test(path) || imports.some(({ target, typeOnly }) => !typeOnly && DATABASE.test(target)),
  )
  for (const { path } of modules) await import(new URL(`../../${path}`, import.meta.url).href)
}
