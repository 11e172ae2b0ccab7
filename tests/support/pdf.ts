import assert from 'node:assert/strict'
import { createCanvas, type ImageData } from '@napi-rs/canvas'
import { getDocument, type PDFDocumentProxy, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { decodeQR } from 'qr/decode.js'
import { textOfPage } from './pdf-text.ts'

const POINTS_PER_INCH = 72
/** The resolution at which a phone's camera captures a card. */
const DPI_DEFAULT = 200

/** Reads a PDF and closes it again. The bytes are copied, because the reader detaches those it is given. */
async function reading<T>(bytes: Uint8Array, read: (pdf: PDFDocumentProxy) => Promise<T>): Promise<T> {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: VerbosityLevel.ERRORS })
  try {
    return await read(await task.promise)
  } finally {
    await task.destroy()
  }
}

/** What several tests ask of the same bytes is read once. */
function onceFor<T>(read: (bytes: Uint8Array) => Promise<T>): (bytes: Uint8Array) => Promise<T> {
  const known = new WeakMap<Uint8Array, Promise<T>>()
  return (bytes) => {
    const found = known.get(bytes) ?? read(bytes)
    known.set(bytes, found)
    return found
  }
}

const pages = <T>(pdf: PDFDocumentProxy, read: (number: number) => Promise<T>) =>
  Promise.all(Array.from({ length: pdf.numPages }, (_, index) => read(index + 1)))

/** The text of each page in reading order, as copied character by character; one line per line of the page. */
export const pageTextsOf = onceFor(
  (bytes): Promise<readonly string[]> =>
    reading(bytes, (pdf) =>
      pages(pdf, async (number) => {
        const { ref } = await pdf.getPage(number)
        assert(ref)
        return textOfPage(bytes, ref.num)
      }),
    ),
)

/** The text of all pages, one after the other. */
export const textOf = async (bytes: Uint8Array): Promise<string> => (await pageTextsOf(bytes)).join('\n')

type Facts = { title: string; author: string; language: string; createdAt: string; isTagged: boolean; pages: number }

/** The document's metadata; `createdAt` as PDF writes it, `D:20260403063000Z`. */
export const factsOf = onceFor(
  (bytes): Promise<Readonly<Facts>> =>
    reading(bytes, async (pdf) => {
      const { info } = (await pdf.getMetadata()) as { info: Record<string, string> }
      const marks = (await pdf.getMarkInfo()) as Map<string, boolean> | null
      return {
        title: info['Title'] ?? '',
        author: info['Author'] ?? '',
        language: info['Language'] ?? '',
        createdAt: info['CreationDate'] ?? '',
        isTagged: marks?.get('Marked') === true,
        pages: pdf.numPages,
      }
    }),
)

type Node = { role?: string; alt?: string; children?: Node[] }

/**
 * The roles of the tags of all pages in reading order (`H1`, `Table`, `TH`, `Figure` …), and the alternative texts of
 * pictures.
 */
export const tagsOf = onceFor(
  (bytes): Promise<{ roles: readonly string[]; alts: readonly string[] }> =>
    reading(bytes, async (pdf) => {
      const nodesIn = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(nodesIn)]
      const trees = await pages(
        pdf,
        async (number) => (await pdf.getPage(number)).getStructTree() as Promise<Node | null>,
      )
      const nodes = trees.flatMap((tree) => (tree ? nodesIn(tree) : []))
      return {
        roles: nodes.flatMap(({ role }) => role ?? []),
        alts: nodes.flatMap(({ alt }) => alt ?? []),
      }
    }),
)

/** The pixels of a page. The first page is 1. */
export const pictureOf = async (bytes: Uint8Array, number: number, { dpi = DPI_DEFAULT } = {}): Promise<ImageData> => {
  const [picture] = await picturesOf(bytes, () => [number], { dpi })
  assert(picture)
  return picture
}

/** The pixels of some pages, chosen by how many there are. */
export const picturesOf = (
  bytes: Uint8Array,
  chosen: (pages: number) => number[],
  { dpi = DPI_DEFAULT } = {},
): Promise<ImageData[]> =>
  reading(bytes, async (pdf) => {
    const pictures: ImageData[] = []
    for (const number of chosen(pdf.numPages)) {
      const page = await pdf.getPage(number)
      const viewport = page.getViewport({ scale: dpi / POINTS_PER_INCH })
      const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height))
      await page.render({ canvas, viewport }).promise
      pictures.push(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height))
    }
    return pictures
  })

/** The content of the picture's QR code; throws when none can be read. */
export const qrCodeIn = ({ width, height, data }: ImageData): string =>
  decodeQR({ width, height, data: new Uint8Array(data.buffer) }, { timeLimit: 5_000 })
