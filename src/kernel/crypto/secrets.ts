import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const SECRET_BYTES = 32

/**
 * Returns a new machine secret: `<prefix>_<256 random bits>_<checksum>`. The prefix lets secret scanners recognise a
 * leak; the checksum rejects a mistyped secret without a query.
 */
export const newSecret = (prefix: string): string => secretFrom(prefix, randomBytes(SECRET_BYTES))

/** Formats bytes that are already random, such as an HMAC, as a machine secret. */
export function secretFrom(prefix: string, bytes: Buffer): string {
  const body = `${prefix}_${bytes.toString('base64url')}`
  return `${body}_${checksum(body)}`
}

/** Returns true when the text has the format and checksum of `newSecret`. */
export function isWellFormedSecret(prefix: string, text: string): boolean {
  const at = text.lastIndexOf('_')
  return text.startsWith(`${prefix}_`) && text.slice(at + 1) === checksum(text.slice(0, at))
}

/**
 * Returns the stored hash of a machine secret. 256 random bits need no slow hash; Argon2 here would invite denial of
 * service.
 */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Compares two texts in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashSecret(a), hashSecret(b))
}

function checksum(text: string): string {
  return crc32(text).toString(36).padStart(7, '0')
}
