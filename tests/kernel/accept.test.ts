import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { preferredType } from '../../src/kernel/http/framing.ts'
import { serveRoutes } from '../support/inject.ts'

const JSON_TYPE = 'application/json'
const HTML = 'text/html'
const PDF = 'application/pdf'
const BROWSERS = {
  Chrome:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  Firefox: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'an old one': 'text/html, application/xml;q=0.9, */*;q=0.8',
}

describe('the preferred media type', () => {
  it('is the first offered when the caller has no preference', () => {
    for (const accept of [undefined, '*/*', '*/*;q=0.1', `${JSON_TYPE}, ${HTML}`, `${HTML}, ${JSON_TYPE}`]) {
      assert.equal(preferredType(accept, [JSON_TYPE, HTML]), JSON_TYPE, accept)
      assert.equal(preferredType(accept, [HTML, JSON_TYPE]), HTML, accept)
    }
  })

  for (const [browser, accept] of Object.entries(BROWSERS)) {
    it(`is HTML for ${browser}, whatever is offered first, and a PDF when that is the only one`, () => {
      assert.equal(preferredType(accept, [JSON_TYPE, HTML]), HTML)
      assert.equal(preferredType(accept, [HTML, JSON_TYPE]), HTML)
      assert.equal(preferredType(accept, [PDF]), PDF)
    })
  }

  const CHOICES: [string, string | undefined][] = [
    [JSON_TYPE, JSON_TYPE],
    [HTML, HTML],
    ['TEXT/HTML', HTML],
    ['text/*', HTML],
    ['application/*', JSON_TYPE],
    ['application/json;q=0.5, text/html;q=0.6', HTML],
    ['application/json;q=0.6, text/html;q=0.5', JSON_TYPE],
    ['application/json;q=0.001, text/html;q=0', JSON_TYPE],
    ['text/html;q=1.000 , application/json; Q=0.999', HTML],
    ['text/html ; q=0.4,\tapplication/json ;q=0.3', HTML],
    ['*/*, application/json;q=0.2', HTML], // the specific range counts, not the generous one
    ['application/json;q=0.2, */*', HTML],
    ['*/*;q=0.2, application/*;q=0.1', HTML],
    ['text/*;q=0.9, text/html;q=0.1, */*;q=0.5', JSON_TYPE],
    ['*/*, application/json;q=0', HTML],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['text/html;level=1;q=0.3, text/html;q=0.7, application/json;q=0.5', HTML],
    ['image/png, text/html;q=0.1', HTML],
    [', ,text/html,', HTML],
    ['application/json;q=nonsense, text/html;q=0.9', JSON_TYPE], // an invalid weight counts as none
    ['', JSON_TYPE], // the header is empty, so anything is acceptable
    [' ', JSON_TYPE],
    [',', undefined],
    ['image/*', undefined],
    ['*', undefined],
    ['text', undefined],
    ['text/htm', undefined],
    ['text/html+x', undefined],
    ['*/html', undefined],
    ['text/html;q=0, application/json;q=0.000', undefined],
    ['*/*;q=0', undefined],
    ['text/html "application/json', undefined],
  ]
  for (const [accept, chosen] of CHOICES) {
    it(`is ${chosen ?? 'none'} for "${accept}"`, () => {
      assert.equal(preferredType(accept, [JSON_TYPE, HTML]), chosen)
    })
  }

  it('is found in a header of any length in linear time', () => {
    const HEADER_LENGTH_MAX = 16_384 // Node rejects longer ones
    const STUCK_MS = 10_000 // on the busiest machine; backtracking would take years
    for (const part of ['text/html;q=0.1,', ';', ',', '"', 'a/b;"\\,', ' ', '*/*;q=0,']) {
      const startedAt = performance.now()
      preferredType(part.repeat(HEADER_LENGTH_MAX / part.length), [JSON_TYPE, HTML, PDF])
      assert(performance.now() - startedAt < STUCK_MS, part)
    }
  })
})

describe('a route that declares its response types', () => {
  const app = serveRoutes((routes) => {
    routes.page('/json', {}, () => ({}))
    routes.page('/pdf', { config: { produces: [PDF] } }, () => 'a document')
    routes.page('/both', { config: { produces: [JSON_TYPE, HTML] } }, () => 'either')
    routes.page('/any', { config: { anyAccept: true } }, () => 'whatever')
  })

  async function ask(url: string, accept?: string): Promise<string> {
    const response = await app.inject({ url, headers: accept === undefined ? {} : { accept } })
    return response.statusCode === 406 ? `406 ${response.json().detail}` : String(response.statusCode)
  }

  it('200 when one of them is acceptable, or a problem is', async () => {
    for (const url of ['/json', '/pdf', '/both', '/any']) {
      for (const accept of [undefined, '*/*', 'application/problem+json', BROWSERS.Firefox, 'image/*, */*;q=0.1']) {
        assert.equal(await ask(url, accept), '200', `${url} ${accept}`)
      }
    }
    assert.equal(await ask('/pdf', PDF), '200')
    assert.equal(await ask('/pdf', 'application/*'), '200')
    assert.equal(await ask('/both', HTML), '200')
    assert.equal(await ask('/both', JSON_TYPE), '200')
    assert.equal(await ask('/json', JSON_TYPE), '200')
  })

  it('406 lists them when none is acceptable', async () => {
    const only = (types: string) => `406 Supported response types: ${types}.`
    for (const accept of ['image/*', 'text/plain', ',', '*/*;q=0']) {
      assert.equal(await ask('/json', accept), only(JSON_TYPE))
      assert.equal(await ask('/pdf', accept), only(PDF))
      assert.equal(await ask('/both', accept), only('application/json, text/html'))
      assert.equal(await ask('/any', accept), '200')
    }
    assert.equal(await ask('/pdf', JSON_TYPE), only(PDF))
    assert.equal(await ask('/pdf', HTML), only(PDF))
    assert.equal(await ask('/json', PDF), only(JSON_TYPE))
    assert.equal(await ask('/both', PDF), only('application/json, text/html'))
  })
})
