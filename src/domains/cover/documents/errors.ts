import { ProblemError } from '../../../kernel/problem-error.ts'

/** Returns a 404 with a reason: the caller may see the policy, but the document does not exist yet. */
export const notYetAvailable = (why: string) => new ProblemError('not_found', `The document does not exist yet. ${why}`)

/** Returns a 404 with a reason: the caller may see the policy, but nothing replaces the generated document. */
export const nothingUploaded = () => new ProblemError('not_found', 'No file was uploaded for this document.')
