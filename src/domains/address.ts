import { type Static, Type } from 'typebox'
import { NO_CONTROL_BUT_LINES } from '../kernel/http/schemas.ts'

const addressText = { maxLength: 500, ...NO_CONTROL_BUT_LINES }

/** The lines of a structured address only have to be present: empty and blank ones are accepted. */
const AddressLine = () => Type.String(addressText)

const addressLines = {
  line1: AddressLine(),
  line2: Type.Optional(AddressLine()),
  city: AddressLine(),
  state: AddressLine(),
  country: AddressLine(),
  pincode: AddressLine(),
}

export const addressExample = {
  line1: '14 Lake View',
  city: 'Pune',
  state: 'Maharashtra',
  country: 'India',
  pincode: '411001',
}

export const StructuredAddress = Type.Object(addressLines, {
  title: 'Address',
  description: 'A structured address',
  examples: [addressExample],
})

const UserAddressObject = Type.Object({ ...addressLines, raw: Type.Optional(AddressLine()) })

/** Three shapes: a structured address, free text, or a structured address with the original text in `raw`. */
export const UserAddress = Type.Unsafe<Static<typeof UserAddressObject> | string>({
  ...UserAddressObject,
  type: ['object', 'string'],
  ...addressText,
  title: 'UserAddress',
  description: 'A structured address, free text, or a structured address with the original text in `raw`',
  examples: [addressExample],
})

/** Keeps the shape that was sent: free text or structured. */
export function presentUserAddress(address: Static<typeof UserAddress>): Static<typeof UserAddress> {
  if (typeof address === 'string') return address
  return { ...presentAddress(address), ...(address.raw !== undefined && { raw: address.raw }) }
}

export function presentAddress(address: Static<typeof StructuredAddress>): Static<typeof StructuredAddress> {
  const { line1, line2, city, state, country, pincode } = address
  return { line1, ...(line2 !== undefined && { line2 }), city, state, country, pincode }
}
