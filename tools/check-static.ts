import { spawnSync } from 'node:child_process'

/**
 * Runs every check that needs no database, also after one has failed, and sums up; exits with 1 when one has failed.
 * Each is an npm script or a package's command, with the command that fixes what it finds.
 */
const CHECKS: readonly { name: string; command: [string, ...string[]]; fix?: string }[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'types of the client', command: ['tsc', '-p', 'client'] },
  { name: 'types of the dashboard', command: ['tsc', '-p', 'dashboard'] },
  { name: 'format', command: ['biome', 'format', '.'], fix: 'npm run format' },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'OpenAPI rules', command: ['node', 'tools/lint-openapi.ts'] },
  { name: 'unused code', command: ['knip'] },
]

const failed = CHECKS.filter(({ name, command: [program, ...args] }) => {
  console.log(`\n${name}`)
  return spawnSync(program, args, { stdio: 'inherit' }).status !== 0
})
console.log(`\n${CHECKS.length - failed.length} of ${CHECKS.length} checks passed`)
for (const { name, fix } of failed) console.log(`FAILED ${name}${fix === undefined ? '' : `: \`${fix}\` fixes it`}`)
if (failed.length > 0) process.exitCode = 1
