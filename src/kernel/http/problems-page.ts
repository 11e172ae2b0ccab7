import { FIELD_ERROR_CODES } from '../field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS, type ProblemCode } from '../problem-error.ts'
import { docsPage, inHtml, paragraph, section } from './docs-page.ts'
import { exampleOfProblem } from './openapi-problems.ts'

type Reason = keyof typeof CONFLICT_REASONS

/** How to fix a conflict, and an example `detail`. */
const AFTER_CONFLICT: Record<Reason, { remedy: string; detail: string }> = {
  insufficient_balance: {
    remedy: 'Book a smaller amount, or credit the wallet first.',
    detail: 'The balance is lower than the amount.',
  },
  reference_used: {
    remedy: 'If it is the same booking, nothing needs to be done; else send a reference of its own.',
    detail: 'This reference is booked already.',
  },
  already_exists: {
    remedy: 'Use what is there, or send what tells the new thing apart.',
    detail: 'The user has an account of this type already.',
  },
  limit_reached: {
    remedy: 'Take something away first, as `detail` says.',
    detail: 'There are already 20 credentials. Revoke one first.',
  },
  in_use: {
    remedy: 'End what needs it, then ask again.',
    detail: 'Policies that are not EXPIRED or REJECTED use this benefit.',
  },
  archived: { remedy: 'Use another one.', detail: 'The benefit is archived.' },
  inactive: {
    remedy: 'Bring it to where it is needed, as `detail` says, or use another one.',
    detail: 'The sponsor of the benefit is inactive.',
  },
  term_over: {
    remedy: 'Start the next term, or enrol anew.',
    detail: 'The term of the policy and its grace are over.',
  },
  different_content: {
    remedy: 'Read what is recorded; change it by its own operation where there is one.',
    detail: 'The user has finished onboarding with other data.',
  },
}

/**
 * Returns the page that a problem's `type` points to: every problem code, input error code and conflict reason, with
 * how to fix it.
 */
export function problemsPage(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  const reasons = Object.keys(CONFLICT_REASONS) as Reason[]
  return docsPage(
    'Errors',
    `${paragraph('Every error is `application/problem+json` (RFC 9457). Programs decide by `code`, by `reason` and by the codes in `errors`: these are stable. `detail` is for people and may change.')}
<ul><li><a href="#codes">Codes</a></li><li><a href="#errors">Errors in the input</a></li><li><a href="#reasons">Reasons of conflicts</a></li></ul>
<h2 id="codes">Codes</h2>
${codes.map(codeSection).join('\n')}
<h2 id="errors">Errors in the input</h2>
${paragraph('What stands in `errors` of a `validation_failed`: one entry for each error, all at once. `pointer` is a JSON Pointer into the body, or names a parameter: `query:limit`, `path:user_id`, `header:idempotency-key`.')}
${Object.entries(FIELD_ERROR_CODES)
  .map(([code, kind]) =>
    kindSection({ id: `error-${code}`, heading: `<code>${code}</code>`, ...kind, example: { ...kind.example, code } }),
  )
  .join('\n')}
<h2 id="reasons">Reasons of conflicts</h2>
${paragraph('What stands in `reason` of a `conflict`.')}
${reasons.map(reasonSection).join('\n')}`,
  )
}

function codeSection(code: ProblemCode): string {
  const { status, title, meaning, remedy } = PROBLEMS[code]
  const heading = `${status} <code>${code}</code>: ${inHtml(title)}`
  return kindSection({ id: code, heading, meaning, remedy, example: exampleOfProblem(code) })
}

function reasonSection(reason: Reason): string {
  const { remedy, detail } = AFTER_CONFLICT[reason]
  const example = { code: 'conflict', reason, detail }
  return kindSection({
    id: `reason-${reason}`,
    heading: `<code>${reason}</code>`,
    meaning: CONFLICT_REASONS[reason],
    remedy,
    example,
  })
}

type Kind = { id: string; heading: string; meaning: string; remedy: string; example: object }

const kindSection = ({ meaning, remedy, ...kind }: Kind) =>
  section({ ...kind, paragraphs: [meaning, `**What to do:** ${remedy}`] })
