/**
 * The operations as values, for programs whose size counts: a bundler keeps those that are used. `new Connection(…)`
 * sends them: `connection.call(creditWallet, { path: { user_id }, body })`.
 */
export { Connection } from './connection.ts'
export * from './generated/operations.ts'
export { Money } from './money.ts'
export { notModified, type Operation } from './operation.ts'
export { plainDate } from './plain-date.ts'
