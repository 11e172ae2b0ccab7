import { docsPage, inHtml, paragraph, section } from '../kernel/http/docs-page.ts'
import { exampleOfProblem } from '../kernel/http/openapi-problems.ts'
import { CONFLICT_REASONS, type ConflictReason, PROBLEMS, type ProblemCode } from '../kernel/problem-error.ts'
import { CONFLICT_WORDS, FIELD_ERROR_WORDS, PROBLEM_WORDS } from './problem-words.ts'

/**
 * Returns the page that a problem's `type` points to: every problem code, input error code and conflict reason, with
 * how to fix it.
 */
export function problemsPage(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  return docsPage(
    'Errors',
    `${paragraph('Every error is `application/problem+json` (RFC 9457). In programs, rely on `code`, `reason` and the codes in `errors`: they are stable. `detail` is for people and may change.')}
<ul><li><a href="#codes">Codes</a></li><li><a href="#errors">Errors in the input</a></li><li><a href="#reasons">Reasons of conflicts</a></li></ul>
<h2 id="codes">Codes</h2>
${codes.map(codeSection).join('\n')}
<h2 id="errors">Errors in the input</h2>
${paragraph('The codes in `errors` of a `validation_failed`, which has one entry for each error. `pointer` is a JSON Pointer into the body, or names a parameter: `query:limit`, `path:user_id`, `header:idempotency-key`.')}
${Object.entries(FIELD_ERROR_WORDS)
  .map(([code, kind]) =>
    kindSection({ id: `error-${code}`, heading: `<code>${code}</code>`, ...kind, example: { ...kind.example, code } }),
  )
  .join('\n')}
<h2 id="reasons">Reasons of conflicts</h2>
${paragraph('The values of `reason` in a `conflict`.')}
${CONFLICT_REASONS.map(reasonSection).join('\n')}`,
  )
}

function codeSection(code: ProblemCode): string {
  const { status, title } = PROBLEMS[code]
  const { meaning, remedy } = PROBLEM_WORDS[code]
  const heading = `${status} <code>${code}</code>: ${inHtml(title)}`
  return kindSection({ id: code, heading, meaning, remedy, example: exampleOfProblem(code, PROBLEM_WORDS) })
}

function reasonSection(reason: ConflictReason): string {
  const { meaning, remedy, detail } = CONFLICT_WORDS[reason]
  const example = { code: 'conflict', reason, detail }
  return kindSection({ id: `reason-${reason}`, heading: `<code>${reason}</code>`, meaning, remedy, example })
}

type Kind = { id: string; heading: string; meaning: string; remedy: string; example: object }

const kindSection = ({ meaning, remedy, ...kind }: Kind) =>
  section({ ...kind, paragraphs: [meaning, `**What to do:** ${remedy}`] })
