import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const SECRET_BYTES = 32

/**
 * A new machine secret: `<prefix>_<256 random bits>_<checksum>`. The prefix lets scanners recognise a leaked one, the
 * checksum tells a mistyped one from a wrong one without asking the database.
 */
export const newSecret = (prefix: string): string => secretFrom(prefix, randomBytes(SECRET_BYTES))

/** The same form for bytes that are already random, such as an HMAC. */
export function secretFrom(prefix: string, bytes: Buffer): string {
  const body = `${prefix}_${bytes.toString('base64url')}`
  return `${body}_${checksum(body)}`
}

/** True when the text could have come from `newSecret`. */
export function isWellFormedSecret(prefix: string, text: string): boolean {
  const at = text.lastIndexOf('_')
  return text.startsWith(`${prefix}_`) && text.slice(at + 1) === checksum(text.slice(0, at))
}

/** What is stored of a machine secret. 256 random bits need no slow hash; Argon2 here would be a lever for denial of service. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Compares two texts in a time that does not depend on where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashSecret(a), hashSecret(b))
}

function checksum(text: string): string {
  return crc32(text).toString(36).padStart(7, '0')
}
