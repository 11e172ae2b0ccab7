/** The defects of a PDF by error code, with how to fix them. */
export const PDF_DEFECTS = {
  not_a_pdf:
    'Must be a PDF document, from its first byte to its last, with a table of contents that holds and one page at least. Make it anew, or print it into a PDF.',
  encrypted: 'Must open without a password and without limits on its use. Save it unencrypted.',
  javascript: 'Must not hold JavaScript. Save it without scripts, or print it into a PDF.',
  unsafe_action:
    'Must not start programs, send or fill forms, nor open anything by itself; links that a reader follows are fine. Print it into a PDF.',
  embedded_file: 'Must not hold other files. Save it without attachments.',
  unpacked_too_large: 'Must have at most 100 MiB when it is unpacked. Save it with smaller pictures.',
  too_complex: 'Takes too much time or memory to be read. Make it anew, or split it.',
} as const

export type PdfDefect = keyof typeof PDF_DEFECTS

export const pdfDefect = (code: PdfDefect) => ({ pointer: '', code, detail: PDF_DEFECTS[code] })
