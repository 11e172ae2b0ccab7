import { CONFLICT_WORDS, PROBLEM_WORDS } from '../../src/domains/problem-descriptions.ts'
import { exampleOfProblem } from '../../src/kernel/http/openapi-problems.ts'
import { CONFLICT_REASONS, PROBLEMS, type ProblemCode } from '../../src/kernel/problem-error.ts'
import { json, page } from './markdown.ts'

const INTRODUCTION = `Every error is \`application/problem+json\` (RFC 9457). In programs, rely on \`code\`, \`reason\` and the
[codes in \`errors\`](field-codes.md): they are stable. \`detail\` is for people and may change. The \`type\` of a problem is the URL of
its code on this page, and \`request_id\` finds the request in the log of the operators.`

/** Returns the page that a problem's `type` points to: every code and every reason of a conflict, with how to fix it. */
export function errorsPage(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  const reasons = CONFLICT_REASONS.map((reason) => {
    const { meaning, remedy, detail } = CONFLICT_WORDS[reason]
    return entry(reason, { meaning, remedy, example: { code: 'conflict', reason, detail } })
  })
  return page(
    'Errors',
    INTRODUCTION,
    '## Codes',
    ...codes.map((code) => {
      const { status, title } = PROBLEMS[code]
      const { meaning, remedy } = PROBLEM_WORDS[code]
      const example = exampleOfProblem(code, PROBLEM_WORDS)
      return entry(code, { meaning: `**${status} ${title}.** ${meaning}`, remedy, example })
    }),
    '## Reasons',
    'The values of `reason` in a `conflict`.',
    ...reasons,
  )
}

type Words = { meaning: string; remedy: string; example: object }

/** A heading of nothing but the code has the code as its anchor. */
export const entry = (code: string, { meaning, remedy, example }: Words): string =>
  `### \`${code}\`\n\n${meaning}\n\n**What to do:** ${remedy}\n\n${json(example)}`
