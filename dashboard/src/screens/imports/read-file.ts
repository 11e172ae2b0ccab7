import type { ChosenFile } from '../../api/imports.ts'

const MIB = 1024 * 1024
/** What the service takes. It is said here too, because it ends the connection of a file that is too large. */
const BYTES_MAX = 64 * MIB
const WORKBOOK = /\.(?:xlsx?|xlsm|xlsb|ods|numbers)$/i

/** Reads a file into memory. Throws what is wrong with one that cannot be sent. */
export async function readFile(file: File): Promise<ChosenFile> {
  if (WORKBOOK.test(file.name))
    throw new Error(
      `${file.name} is a workbook. Save the sheet as “CSV UTF-8 (Comma delimited)”, and choose the file that this makes.`,
    )
  if (file.size > BYTES_MAX)
    throw new Error(`${file.name} has ${sizeText(file.size)}; the most is 64 MiB. Send it in several files.`)
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`${file.name} cannot be read. Choose one file, and no folder.`)
  })
  return { name: file.name, bytes: new Blob([bytes]) }
}

/** Returns `820 bytes`, `12 KiB`, `3.4 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < MIB) return `${Math.round(bytes / 1024)} KiB`
  return `${(bytes / MIB).toFixed(1)} MiB`
}
