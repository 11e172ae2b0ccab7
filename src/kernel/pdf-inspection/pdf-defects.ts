/** The defects of a PDF by error code, with how to fix them. */
export const PDF_DEFECTS = {
  not_a_pdf: 'Must be an intact PDF file with at least one page. Export it again, or print it to PDF.',
  encrypted: 'Must not be encrypted or restricted. Save it without a password and without restrictions.',
  javascript: 'Must not contain JavaScript. Save it without scripts, or print it to PDF.',
  unsafe_action:
    'Must not launch programs, submit or fill in forms, play media, open other files, or open anything automatically; ordinary links are allowed. Print it to PDF.',
  embedded_file: 'Must not contain embedded files. Save it without attachments.',
  unpacked_too_large: 'Must not exceed 100 MiB when unpacked. Save it with smaller images.',
  too_complex: 'Takes too much time or memory to read. Export it again, or split it.',
} as const

export type PdfDefect = keyof typeof PDF_DEFECTS

export const pdfDefect = (code: PdfDefect) => ({ pointer: '', code, detail: PDF_DEFECTS[code] })
