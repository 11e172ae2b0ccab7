import { readFileSync } from 'node:fs'

const PIPELINE = new URL('../../src/pipeline.ts', import.meta.url)

/** Returns the page on the order of checks, from the steps in `src/pipeline.ts`: a comment with statuses stands before each. */
export function orderPage(): string {
  const steps = [...readFileSync(PIPELINE, 'utf8').matchAll(/^ {6}\/\/ (\d{3}.*)$/gm)].map(([, words = '']) => words)
  const rows = steps.flatMap((step, at) =>
    step.split('; ').map((part) => {
      const [, statuses, words] = /^((?:\d{3}(?:, )?)+): (.+)$/.exec(part) ?? []
      return `| ${at + 1} | ${statuses ?? ''} | ${words ?? part} |`
    }),
  )
  return `# The order of checks

The first check that fails determines the response; later ones are not made. This table is made from the function that serves every
request, \`src/pipeline.ts\`.

| Step | Status | What is checked |
|---|---|---|
${rows.join('\n')}

An anonymous call with a malformed id is therefore a 401, and a path to another caller's record with errors in the body is a 404. A body
is not read before its sender is admitted.
`
}
