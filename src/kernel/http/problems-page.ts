import { FIELD_ERROR_CODES } from '../field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS, type ProblemCode } from '../problem-error.ts'
import { docsPage, inHtml, paragraph, section } from './docs-page.ts'
import { exampleOfProblem } from './openapi-problems.ts'

type Reason = keyof typeof CONFLICT_REASONS

/** How to fix a conflict, and an example `detail`. */
const AFTER_CONFLICT: Record<Reason, { remedy: string; detail: string }> = {
  insufficient_balance: {
    remedy: 'Debit a smaller amount, or credit the wallet first.',
    detail: 'The balance is lower than the amount.',
  },
  reference_used: {
    remedy: 'If it is the same booking, do nothing. Otherwise send a new reference.',
    detail: 'A booking with this reference already exists.',
  },
  already_exists: {
    remedy: 'Use the existing record, or send data that do not conflict with it.',
    detail: 'The user already has an account of this type.',
  },
  limit_reached: {
    remedy: 'Remove or close one first, as `detail` says.',
    detail: 'There are already 20 live credentials. Revoke one first.',
  },
  in_use: {
    remedy: 'End the open records first, then repeat the request.',
    detail: 'Policies that are not EXPIRED or REJECTED use this benefit.',
  },
  archived: { remedy: 'Use a different one.', detail: 'The benefit is archived.' },
  inactive: {
    remedy: 'Activate what `detail` names, or use a different one.',
    detail: 'The sponsor of the benefit is not active.',
  },
  incomplete: {
    remedy: 'Send what `detail` names, then repeat the request.',
    detail: 'The user has no name or no date of birth. Complete them first.',
  },
  term_over: {
    remedy: 'Start the next term, or enrol the user again.',
    detail: 'The term of the policy and its grace period are over.',
  },
  different_content: {
    remedy: 'Read the existing data; change them with the operation for that, if there is one.',
    detail: 'The user has already completed onboarding with different data.',
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
    `${paragraph('Every error is `application/problem+json` (RFC 9457). In programs, rely on `code`, `reason` and the codes in `errors`: they are stable. `detail` is for people and may change.')}
<ul><li><a href="#codes">Codes</a></li><li><a href="#errors">Errors in the input</a></li><li><a href="#reasons">Reasons of conflicts</a></li></ul>
<h2 id="codes">Codes</h2>
${codes.map(codeSection).join('\n')}
<h2 id="errors">Errors in the input</h2>
${paragraph('The codes in `errors` of a `validation_failed`, which has one entry for each error. `pointer` is a JSON Pointer into the body, or names a parameter: `query:limit`, `path:user_id`, `header:idempotency-key`.')}
${Object.entries(FIELD_ERROR_CODES)
  .map(([code, kind]) =>
    kindSection({ id: `error-${code}`, heading: `<code>${code}</code>`, ...kind, example: { ...kind.example, code } }),
  )
  .join('\n')}
<h2 id="reasons">Reasons of conflicts</h2>
${paragraph('The values of `reason` in a `conflict`.')}
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
