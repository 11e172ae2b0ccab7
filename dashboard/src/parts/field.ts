export type Field = {
  /** The JSON pointer of the member, which the service’s errors name: `/reason`. */
  pointer: string
  label: string
  hint?: string
  isLong?: boolean
  isRequired?: boolean
  /** On a phone, the keys of numbers with a point. */
  isDecimal?: true
  /** A day and a time, as the browser lets one choose it. */
  isTime?: true
  /** The values that can be chosen, for fields that take no others. */
  choices?: readonly { value: string; label: string }[]
}
