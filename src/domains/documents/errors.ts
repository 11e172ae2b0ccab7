import { ProblemError } from '../../kernel/problem-error.ts'

/** For a document that will be there some day: to whom may see the policy, a 404 can say why. */
export const notYetAvailable = (why: string) => new ProblemError('not_found', `There is no such document yet. ${why}`)

/** 404 with a reason: the caller may see the policy, and nothing takes the place of the document that is made. */
export const nothingUploaded = () =>
  new ProblemError('not_found', 'Nothing was uploaded in the place of this document.')
