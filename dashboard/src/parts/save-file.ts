/** By this a spreadsheet knows that the file is UTF-8; programs read the CSV of the service, which has none. */
const BYTE_ORDER_MARK = '\ufeff'

export const saveCsv = (csv: Blob | string, name: string): void =>
  saveFile(new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv' }), name)

/** Puts a file into the folder of downloads; nothing of it stays in the page. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url))
}
