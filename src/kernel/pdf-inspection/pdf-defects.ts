/** The defects of a PDF by error code, with how to fix them. */
export const PDF_DEFECTS = {
  not_a_pdf: 'Must be an intact PDF file with at least one page. Export it again, or print it to PDF.',
  encrypted: 'Must not be encrypted or restricted. Save it without a password and without restrictions.',
  javascript: 'Must not contain JavaScript. Print it to PDF again without scripts.',
  unsafe_action:
    'Must do nothing but lead to one of its pages, or to an address that begins with http://, https://, mailto: or tel:. No other links, buttons, media or parts in other files, and nothing that happens when it is opened. Print it to PDF again without them.',
  embedded_file:
    'Must not contain embedded files, nor the document that it was made from (in LibreOffice, a hybrid PDF). Print it to PDF again without attachments.',
  unpacked_too_large: 'Must not exceed 100 MiB when unpacked. Save it with smaller images.',
  too_complex: 'Takes too much time or memory to read. Export it again, or split it.',
} as const

export type PdfDefect = keyof typeof PDF_DEFECTS

export const pdfDefect = (code: PdfDefect) => ({ pointer: '', code, detail: PDF_DEFECTS[code] })
