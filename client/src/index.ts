export { Banyan } from './banyan.ts'
export * from './errors.ts'
export * from './generated/ids.ts'
export type * from './generated/schemas.ts'
export type { CursorStore, FollowOptions } from './events.ts'
export type { Instant } from './instant.ts'
export type { List } from './list.ts'
export { Money } from './money.ts'
export type { Open, UnknownEvent, UnknownValue } from './open.ts'
export {
  type DocumentStream,
  type IfMatch,
  type IfNoneMatch,
  type NotModified,
  notModified,
  type ReadOptions,
  type Done,
  type Redirect,
  type Version,
  type WriteOptions,
} from './operation.ts'
export { dayOf, type PlainDate, plainDate } from './plain-date.ts'
export { type ResponseFacts, responseOf } from './response.ts'
export type { Behaviour, Credentials, RequestReport, ResponseReport, Settings, TokenSource } from './settings.ts'
export { WaitError, type WaitOptions } from './waiting-for.ts'
export type { Challenge, SessionOptions, WalletSession } from './wallet.ts'
export { WebhookVerificationError } from './webhooks.ts'
export { encode as jsonOf } from './wire.ts'
