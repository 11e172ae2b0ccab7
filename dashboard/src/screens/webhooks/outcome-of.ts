import type { WebhookAttempt } from '@banyan/client'

/** What an attempt ended with: the status of the response, or why there was none. */
export function outcomeOf(attempt: WebhookAttempt | undefined): string {
  if (!attempt) return '–'
  return attempt.status === null ? (attempt.error ?? 'none').replaceAll('_', ' ') : String(attempt.status)
}
