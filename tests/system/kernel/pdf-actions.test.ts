import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createPdfInspector } from '../../../src/kernel/pdf-inspection/inspector.ts'
import { link, pdfWith } from '../../support/small-pdf.ts'

const inspector = createPdfInspector()
after(() => inspector.stop())
const inspect = (pdf: Uint8Array) => inspector.inspect(async () => pdf)

describe('an action that is not on the list of those allowed', () => {
  const ACTIONS = [
    '/Thread /F (https://example.com/a.pdf) /D 0',
    '/Thread /D 0',
    '/Sound /Sound 4 0 R',
    '/Movie /T (a)',
    '/Hide /T (a)',
    '/ResetForm',
    '/Rendition /OP 0',
    '/SetOCGState /State []',
    '/Unknown',
    '/constructor',
    ...['Print', 'SaveAs', 'Quit', 'GoBack', 'constructor'].map((name) => `/Named /N /${name}`),
    '/Named',
    '/URI',
    '/URI /URI /https:#2F#2Fexample.com',
    ...[
      'www.example.com/a',
      'a.html',
      '//evil/share',
      '\\\\\\\\evil\\\\share',
      'https:\\\\\\\\evil',
      'https:/evil',
      'https:///evil',
      'https:evil',
      'https://',
      'https://example.com/\\naa',
      ' https://example.com',
      'ftp://example.com',
      'smb://evil/share',
      'data:text/html,a',
    ].map((address) => `/URI /URI (${address})`),
  ].map((action) => `<< /S ${action} >>`)

  for (const action of ACTIONS) {
    it(`unsafe_action: ${action} behind a link, an outline or another action, and when the file is opened`, async () => {
      const after = `<< /S /GoTo /D [3 0 R /Fit] /Next [${action}] >>`
      const PLACES = {
        link: pdfWith({ page: link(action) }),
        'link in an object of its own': pdfWith({ page: link('6 0 R'), objects: [action] }),
        'former address of a link': pdfWith({ page: link(`${after.replace('Next', 'None')} /PA ${action}`) }),
        outline: pdfWith({ catalog: `/Outlines << /First << /Title (a) /A ${action} >> >>` }),
        'after something harmless': pdfWith({ page: link(after) }),
        'when it is opened': pdfWith({ catalog: `/OpenAction ${action}` }),
        'when it is opened, after something harmless': pdfWith({ catalog: `/OpenAction ${after}` }),
        'when a page is opened': pdfWith({ page: `/AA << /O ${action} >>` }),
      }
      for (const [place, pdf] of Object.entries(PLACES)) assert.deepEqual(await inspect(pdf), ['unsafe_action'], place)
    })
  }
})
