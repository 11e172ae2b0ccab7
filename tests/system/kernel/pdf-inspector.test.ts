import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { createPdfInspector } from '../../../src/kernel/pdf-inspection/inspector.ts'
import type { PdfDefect } from '../../../src/kernel/pdf-inspection/pdf-defects.ts'
import { createTypesetter } from '../../../src/kernel/pdf/typesetter.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { SAMPLES, TEMPLATES } from '../../../tools/sample-documents.ts'
import { annotation, link, pdfOfObjects, pdfWith, smallPdf, streamOf } from '../../support/small-pdf.ts'
import { UNHURRIED } from '../../support/installation.ts'

const MIB = 1024 * 1024

const inspector = createPdfInspector()
after(() => inspector.stop())
const inspect = (pdf: Uint8Array): Promise<PdfDefect[]> => inspector.inspect(async () => pdf)

const packed = (bytes: Buffer): Buffer => deflateSync(bytes)

/** This many MiB of zeros, deflated quickly: the same piece repeated. */
function packedZeros(mebibytes: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(MIB), { finishFlush: constants.Z_FULL_FLUSH })
  const pieces = Array.from({ length: mebibytes }, () => piece)
  return Buffer.concat([Buffer.from('789c', 'hex'), ...pieces, Buffer.from('0300', 'hex')])
}

const zeros = (mebibytes: number) => streamOf(packedZeros(mebibytes), '/Filter /FlateDecode')
const javascript = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>'
/** The last is as some programs write it: in UTF-16, with its mark. */
const ADDRESSES = [
  '(http://example.com)',
  '(HTTPS://example.com/a?b=%20c#d)',
  '(mailto:asha@example.com)',
  '(tel:+911234567890)',
  '<feff00680074007400700073003a002f002f0061002e0069006e>',
]

/** A PDF with its table as a stream, and the catalog and the pages packed into another. */
function modernPdf(catalog = ''): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
  ]
  const offsets = objects.map((_, index) => objects.slice(0, index).join(' ').length + (index > 0 ? 1 : 0))
  const head = `${offsets.map((offset, index) => `${index + 1} ${offset}`).join(' ')} `
  const bundle = packed(Buffer.from(head + objects.join(' ')))
  const members = `/Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode`
  const first = Buffer.concat([
    Buffer.from('%PDF-1.7\n4 0 obj\n'),
    streamOf(bundle, members),
    Buffer.from('\nendobj\n'),
  ])
  const entry = (...bytes: number[]) => bytes
  const entries = [0, 1, 2].map((index) => entry(2, 0, 4, index))
  const table = Buffer.from(
    [[0, 0, 0, 0], ...entries, entry(1, 0, 9, 0), entry(1, first.length >> 8, first.length & 255, 0)].flat(),
  )
  const tableMembers = '/Type /XRef /Size 6 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode'
  return Buffer.concat([
    first,
    Buffer.from('5 0 obj\n'),
    streamOf(packed(table), tableMembers),
    Buffer.from(`\nendobj\nstartxref\n${first.length}\n%%EOF\n`),
  ])
}

/**
 * Ours with an incremental update at its end, as by a program that saves quickly; `previous` is the offset of the
 * previous table.
 */
function revised(pdf: Buffer, previous = /startxref\n(\d+)/.exec(pdf.toString('latin1'))?.[1]): Buffer {
  const start = pdf.length
  const trailer = `trailer\n<< /Size 6 /Root 1 0 R /Prev ${previous} >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.concat([pdf, Buffer.from(`xref\n0 1\n0000000000 65535 f \n${trailer}`)])
}

describe('no defect in', () => {
  const FINE: Record<string, Buffer> = {
    'a page with a line of text': smallPdf('Policy certificate'),
    'a table and objects in streams': modernPdf(),
    'a revision behind the first': revised(smallPdf('Corrected')),
    'a link that a reader may follow': pdfWith({ page: link('<< /S /URI /URI (https://example.com) >>') }),
    'links to pages of the web, people and phones': pdfWith({
      page: `/Annots [${ADDRESSES.map((uri) => annotation(`<< /S /URI /URI ${uri} >>`)).join(' ')}]`,
    }),
    'links to places, and to the pages around': pdfWith({
      page: `/Annots [${[
        '/GoTo /D [3 0 R /Fit]',
        ...['Next', 'Prev', 'First', 'Last'].map((which) => `/Named /N /${which}Page`),
      ]
        .map((action) => annotation(`<< /Type /Action /S ${action} >>`))
        .join(' ')}]`,
    }),
    'an outline, whose entries follow each other': pdfWith({
      catalog: '/Outlines << /First 6 0 R /Last 7 0 R /Count 2 >>',
      objects: [
        '<< /Title (One) /Next 7 0 R /A << /S /GoTo /D [3 0 R /Fit] >> >>',
        '<< /Title (Two) /Prev 6 0 R /A << /S /URI /URI (https://example.com) >> >>',
      ],
    }),
    'tags with attributes': pdfWith({
      catalog: '/StructTreeRoot << /K << /S /Table /A [<< /O /Table /Scope /Row >> 0] /Ref [6 0 R] >> >>',
      objects: ['<< /S /P /A << /O /Layout /Placement /Block >> >>'],
    }),
    'numbered pages, a transition and a group': pdfWith({
      catalog: '/PageLabels << /Nums [0 << /S /r >>] >>',
      page: '/Trans << /S /Wipe >> /Group << /S /Transparency /CS /DeviceRGB >>',
    }),
    'a page to begin with': pdfWith({ catalog: '/OpenAction [3 0 R /Fit]' }),
    'a place to go to when it is opened': pdfWith({ catalog: '/OpenAction << /S /GoTo /D [3 0 R /Fit] >>' }),
    'fonts and pictures of whatever name': pdfWith({
      page: '/Resources << /Font << /JS 5 0 R /EF 5 0 R /XFA 5 0 R >> >>',
    }),
    'a stream packed twice': pdfWith({
      contents: streamOf(packed(packed(Buffer.from('BT ET'))), '/Filter [/FlateDecode /FlateDecode]'),
    }),
    'a stream without the sum at its end': pdfWith({
      contents: streamOf(packed(Buffer.from('BT ET')).subarray(0, -4), '/Filter /FlateDecode'),
    }),
    '99 MiB when unpacked': pdfWith({ contents: zeros(99) }),
  }
  for (const [what, pdf] of Object.entries(FINE)) {
    it(what, async () => assert.deepEqual(await inspect(pdf), []))
  }

  it('every document that is generated here', async () => {
    const typesetter = createTypesetter({
      templates: new URL('../../../templates', import.meta.url).pathname,
      ...UNHURRIED,
    })
    try {
      for (const template of TEMPLATES) {
        for (const data of Object.values(SAMPLES)) {
          assert.deepEqual(await inspect(await typesetter.typeset({ template, data, madeAt: new Date(0) })), [])
        }
      }
    } finally {
      await typesetter.stop()
    }
  })
})

describe('the defects of', () => {
  const small = smallPdf('Small').toString('latin1')
  const cut = (what: string | RegExp, by: string) => Buffer.from(small.replace(what, by), 'latin1')
  const BAD: Record<string, [PdfDefect, Buffer]> = {
    'nothing but a head and an end': ['not_a_pdf', Buffer.from('%PDF-1.7\nstartxref\n0\n%%EOF\n')],
    'a page of the web with such a head': [
      'not_a_pdf',
      Buffer.from('%PDF-1.7\n<html><script>alert(1)</script></html>\nstartxref\n0\n%%EOF\n'),
    ],
    'a table that is elsewhere': ['not_a_pdf', cut(/startxref\n\d+/, 'startxref\n100')],
    'a table with wrong places': ['not_a_pdf', cut(/\d{10} 00000 n/g, '0000000020 00000 n')],
    'no catalog': ['not_a_pdf', cut('/Root 1 0 R', '/Foot 1 0 R')],
    'a catalog that is not there': ['not_a_pdf', cut('/Root 1 0 R', '/Root 9 0 R')],
    'no page': [
      'not_a_pdf',
      pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']),
    ],
    'pages that hold each other': [
      'not_a_pdf',
      pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
    ],
    'a revision that comes before itself': ['not_a_pdf', revised(smallPdf('Again'), String(smallPdf('Again').length))],
    'a stream that cannot be unpacked': [
      'not_a_pdf',
      pdfWith({ contents: streamOf('no deflate', '/Filter /FlateDecode') }),
    ],
    'brackets in brackets without end': ['not_a_pdf', pdfWith({ catalog: `/Deep ${'['.repeat(200_000)}` })],

    'a password': ['encrypted', pdfWith({ trailer: '/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 >>' })],
    'a script when it is opened': ['javascript', pdfWith({ catalog: `/OpenAction ${javascript}` })],
    'a script behind a link': ['javascript', pdfWith({ page: link(javascript) })],
    'a script that is named': [
      'javascript',
      pdfWith({ catalog: `/Names << /JavaScript << /Names [(one) ${javascript}] >> >>` }),
    ],
    'a script whose name is written in numbers': [
      'javascript',
      pdfWith({ catalog: '/OpenAction << /S /Java#53cript /JS (x) >>' }),
    ],
    'a script in a packed object': ['javascript', modernPdf(`/OpenAction ${javascript}`)],
    'a script in an object of its own': [
      'javascript',
      pdfWith({ catalog: '/OpenAction 6 0 R', objects: [javascript] }),
    ],
    'a form with scripts of another kind': ['javascript', pdfWith({ catalog: '/AcroForm << /Fields [] /XFA [] >>' })],
    'a program to start': ['unsafe_action', pdfWith({ page: link('<< /S /Launch /F (cmd.exe) >>') })],
    'a form that is sent': ['unsafe_action', pdfWith({ page: link('<< /S /SubmitForm /F (https://example.com) >>') })],
    'a link into another file': ['unsafe_action', pdfWith({ page: link('<< /S /GoToR /F (a.pdf) /D [0 /Fit] >>') })],
    'a link into a file within it': ['unsafe_action', pdfWith({ page: link('<< /S /GoToE /D [0 /Fit] >>') })],
    'a link that runs a script': ['unsafe_action', pdfWith({ page: link('<< /S /URI /URI (javascript:x) >>') })],
    'a link that hides its scheme': [
      'unsafe_action',
      pdfWith({ page: link('<< /S /URI /URI ( \\njava\\nscript:x) >>') }),
    ],
    'a link to a local file': ['unsafe_action', pdfWith({ page: link('<< /S /URI /URI (file:///etc/passwd) >>') })],
    'an address that it opens by itself': [
      'unsafe_action',
      pdfWith({ catalog: '/OpenAction << /S /URI /URI (https://example.com) >>' }),
    ],
    'media that play': [
      'unsafe_action',
      pdfWith({ page: '/Annots [<< /Type /Annot /Subtype /RichMedia /Rect [0 0 99 99] >>]' }),
    ],
    'an address that a page opens by itself': [
      'unsafe_action',
      pdfWith({ page: '/AA << /O << /S /URI /URI (https://example.com) >> >>' }),
    ],
    'an address opened after something harmless': [
      'unsafe_action',
      pdfWith({
        catalog: '/OpenAction << /S /GoTo /D [3 0 R /Fit] /Next [6 0 R] >>',
        objects: ['<< /S /URI /URI (x) >>'],
      }),
    ],
    'addresses that are relative to another': [
      'unsafe_action',
      pdfWith({ catalog: '/URI << /Base (https://example.com) >>', page: link('<< /S /GoTo /D [3 0 R /Fit] >>') }),
    ],
    'a page whose bytes are in another file': [
      'unsafe_action',
      pdfWith({ contents: streamOf('', '/F << /FS /URL /F (https://example.com/a) >>') }),
    ],
    'a page that shows one of another file': [
      'unsafe_action',
      pdfWith({
        page: '/Resources << /XObject << /X 6 0 R >> >>',
        objects: [streamOf('', '/Subtype /Form /BBox [0 0 9 9] /Ref << /F (a.pdf) /Page 0 >>')],
      }),
    ],
    'the document that it was made from': [
      'embedded_file',
      pdfWith({
        trailer: '/AdditionalStreams [/application#2Fvnd.oasis.opendocument.text 6 0 R]',
        objects: [streamOf('PK')],
      }),
    ],
    'the document that it was made from, in an earlier revision': [
      'embedded_file',
      revised(pdfWith({ trailer: '/AdditionalStreams [/a 6 0 R]', objects: [streamOf('PK')] })),
    ],
    'another file in it': [
      'embedded_file',
      pdfWith({
        catalog: '/Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>',
        objects: ['<< /Type /Filespec /F (a.exe) /EF << /F 7 0 R >> >>', streamOf('MZ')],
      }),
    ],
    '101 MiB when unpacked': ['unpacked_too_large', pdfWith({ contents: zeros(101) })],
    '120 MiB in two streams': [
      'unpacked_too_large',
      pdfWith({
        catalog: '/One 6 0 R /Two 7 0 R',
        objects: Array.from({ length: 2 }, () => zeros(60)),
      }),
    ],
    '10 GiB packed twice': [
      'unpacked_too_large',
      pdfWith({ contents: streamOf(packed(packedZeros(10_240)), '/Filter [/FlateDecode /FlateDecode]') }),
    ],
    '400 MiB by another way of packing': [
      'unpacked_too_large',
      pdfWith({ contents: streamOf(lzwOfZeros(400 * MIB), '/Filter /LZWDecode') }),
    ],
  }
  for (const [what, [code, pdf]] of Object.entries(BAD)) {
    it(`${code}: ${what}`, async () => assert.deepEqual(await inspect(pdf), [code]))
  }

  it('several are reported together', async () => {
    const pdf = pdfWith({ catalog: `/OpenAction ${javascript}`, page: link('<< /S /Launch /F (x) >>') })
    assert.deepEqual((await inspect(pdf)).toSorted(), ['javascript', 'unsafe_action'])
  })
})

/** Zeros packed by LZW, each code for as many of them as possible; at least this many. */
function lzwOfZeros(length: number): Buffer {
  const bytes: number[] = []
  let [bits, held, width] = [0, 0, 9]
  const put = (code: number) => {
    bits = (bits << width) | code
    held += width
    for (; held >= 8; held -= 8) bytes.push((bits >> (held - 8)) & 255)
    bits &= (1 << held) - 1
  }
  for (let left = length; left > 0; ) {
    put(256)
    for (let run = 1; run <= 3_838; run++) {
      const code = run === 1 ? 0 : 256 + run
      width = code < 511 ? 9 : code < 1_023 ? 10 : code < 2_047 ? 11 : 12
      put(code)
      left -= run
    }
  }
  put(257)
  put(0)
  return Buffer.from(bytes)
}

/** A table that claims to be small and unpacks to four gigabytes. */
function swollen(): Buffer {
  const head = '%PDF-1.7\n'
  const table = streamOf(packedZeros(4_096), '/Type /XRef /Size 1 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode')
  const end = `\nendobj\nstartxref\n${head.length}\n%%EOF\n`
  return Buffer.concat([Buffer.from(`${head}1 0 obj\n`), table, Buffer.from(end)])
}

/** As many pages as chained actions, all of which each page starts. */
function deeplyNestedPdf(): Buffer {
  const count = 10_000
  const pages = Array.from({ length: count }, () => '<< /AA << /O 6 0 R >> >>')
  const chain = Array.from({ length: count }, (_, index) => `<< /S /GoTo /Next ${index + 7} 0 R >>`)
  return pdfWith({ catalog: `/Pieces [${pages.join(' ')}]`, objects: [...chain, '<< /S /GoTo >>'] })
}

describe('a file built to be parsed for ever', () => {
  const ENDLESS: Record<string, [Buffer, { rss_bytes_max?: number; cpu_ms_max: number }]> = {
    'that fills the memory': [swollen(), { rss_bytes_max: 250 * MIB, cpu_ms_max: 60_000 }],
    'that takes its time': [deeplyNestedPdf(), { cpu_ms_max: 500 }],
  }
  for (const [what, [pdf, limits]] of Object.entries(ENDLESS)) {
    it(`too_complex: one ${what} ends its process and not ours, and the next file is inspected`, async (t) => {
      const sparing = createPdfInspector({ ...limits, timeLimit_ms: 120_000 })
      t.after(() => sparing.stop())
      let turns = 0
      const timer = setInterval(() => turns++, 5)
      t.after(() => clearInterval(timer))
      assert.deepEqual(await sparing.inspect(async () => pdf), ['too_complex'])
      assert.deepEqual(await sparing.inspect(async () => smallPdf('Next')), [])
      assert(turns > 10, `the event loop turned ${turns} times meanwhile`)
    })
  }
})

describe('the inspector', () => {
  const isUnavailable = (error: unknown) => error instanceof ProblemError && error.code === 'unavailable'

  it('reads a document in its turn, and not before', async () => {
    const read: string[] = []
    let reading = 0
    const one = (name: string) =>
      inspector.inspect(async () => {
        assert.equal(reading++, 0, 'one at a time')
        read.push(name)
        await new Promise((resolve) => setImmediate(resolve))
        reading--
        return smallPdf(name)
      })
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(one)), [[], [], []])
    assert.deepEqual(read, ['a', 'b', 'c'])
  })

  it('a document that cannot be read fails alone', async () => {
    const failing = inspector.inspect(() => Promise.reject(new Error('gone')))
    const next = inspect(smallPdf('Next'))
    await assert.rejects(failing, /gone/)
    assert.deepEqual(await next, [])
  })

  it('rejects with 503 once stopped', async () => {
    const stopped = createPdfInspector()
    await stopped.stop()
    await assert.rejects(
      stopped.inspect(async () => smallPdf('Late')),
      isUnavailable,
    )
  })
})
