/** Why there was no response, for programs to branch on. */
export const POST_FAILURES = ['address_not_allowed', 'name_not_found', 'no_connection', 'tls', 'timeout'] as const
export type PostFailure = (typeof POST_FAILURES)[number]
