export const BASE32_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz' // Crockford's: no i, l, o, u

const BITS = 5

/** Encodes bytes in Crockford's base 32, in lower case. */
export function toBase32(bytes: Uint8Array): string {
  let out = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= BITS) {
      bits -= BITS
      out += BASE32_DIGITS[(buffer >> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return bits > 0 ? out + BASE32_DIGITS[(buffer << (BITS - bits)) & 31] : out
}

/** Decodes what `toBase32` has encoded; undefined for any other text. */
export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = []
  let buffer = 0
  let bits = 0
  for (const digit of text) {
    const value = BASE32_DIGITS.indexOf(digit)
    if (value < 0) return undefined
    buffer = (buffer << BITS) | value
    bits += BITS
    if (bits < 8) continue
    bits -= 8
    bytes.push(buffer >> bits)
    buffer &= (1 << bits) - 1
  }
  return buffer === 0 && bits < BITS ? Buffer.from(bytes) : undefined
}
