declare const unknown: unique symbol

/** A value that this version of the client does not know yet. The service may add states, codes and reasons. */
export type UnknownValue = string & { readonly [unknown]: true }

/** One of the known values, or a newer one: a `switch` over them needs a `default`, and only the known can be written. */
export type Open<Known extends string> = Known | UnknownValue

/** An event of a type that this version of the client does not know yet. */
export type UnknownEvent = {
  id: string
  /** With a dot, as all types have: as plain `string` it would keep the known types from narrowing the union. */
  type: `${string}.${string}` & UnknownValue
  timestamp: Date
  subject: string
  platform_id: string | null
  data: Record<string, unknown>
}
