import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { openTestApp, ORIGIN } from '../support/app.ts'
import { pathsBelow, readText } from '../support/sources.ts'

const t = await openTestApp()
const { app: handbook } = await t.openNode({ production: false })

const get = (url: string, headers: Record<string, string> = {}) =>
  handbook.inject({ url, headers: { accept: 'text/html,*/*;q=0.8', ...headers } })

const files = pathsBelow('docs').filter((path) => path.endsWith('.md'))
const urlOfFile = (path: string) => `/${path.replace(/\/README\.md$/, '').replace(/\.md$/, '')}`
const pages = new Map<string, string>()
for (const file of files) {
  const response = await get(urlOfFile(file))
  assert.equal(response.statusCode, 200, file)
  pages.set(urlOfFile(file), response.body)
}
/** The pages that the contents name and that lie elsewhere in the project. */
const [, contents = ''] = /<nav id="contents".*?>(.*?)<\/nav>/s.exec(pages.get('/docs') ?? '') ?? []
const listed = [...contents.matchAll(/<a href="([^"]+)"/g)].map(([, url = '']) => url)
for (const url of listed) if (!pages.has(url)) pages.set(url, (await get(url)).body)

const linksIn = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, url = '']) => url)

describe('GET /docs', () => {
  it('200 for every page of the contents, which list each file of the handbook once', () => {
    assert(listed.length > 5)
    assert.deepEqual([...new Set(listed)], listed)
    // Decisions are found from their own page.
    const unlisted = files.map(urlOfFile).filter((url) => url !== '/docs' && !/^\/docs\/decisions\/\d/.test(url))
    assert.deepEqual(
      unlisted.filter((url) => !listed.includes(url)),
      [],
    )
  })

  it('is packed with the program, the pages elsewhere in the project too', () => {
    const { files: packed } = JSON.parse(readText('package.json')) as { files: string[] }
    const named = [...readText('docs/README.md').matchAll(/^- \[[^\]]+\]\(\.\.\/([^)]+)\)/gm)].map(
      ([, path = '']) => path,
    )
    assert(named.length > 5 && packed.includes('docs'))
    const isPacked = (path: string) => packed.some((one) => path === one || path.startsWith(`${one}/`))
    assert.deepEqual(
      named.filter((path) => !isPacked(path)),
      [],
    )
  })

  it('leads nowhere that does not exist: every link, anchor, picture and file of every page', async () => {
    const known = new Map<string, number>()
    const missing: string[] = []
    for (const [url, html] of pages) {
      for (const link of linksIn(html)) {
        if (/^https?:/.test(link)) continue
        const [target = '', anchor] = link.split('#')
        const page = target === '' ? html : pages.get(target)
        if (anchor !== undefined && page !== undefined && !page.includes(` id="${decodeURIComponent(anchor)}"`))
          missing.push(`${url}: ${link}`)
        if (page !== undefined || target.startsWith('/docs/try')) continue
        if (!known.has(target)) known.set(target, (await get(target)).statusCode)
        if (known.get(target) !== 200) missing.push(`${url}: ${link}`)
      }
    }
    assert.deepEqual(missing, [])
  })

  it('has links in the files that a code host resolves too', async () => {
    const broken = files.flatMap((file) =>
      [...readText(file).matchAll(/\]\((?!https?:|#|\/)([^)#\s]+)/g)].flatMap(([, target = '']) => {
        const { pathname } = new URL(target, `file:///${file}`)
        return isThere(pathname.slice(1)) ? [] : [`${file}: ${target}`]
      }),
    )
    assert.deepEqual(broken, [])
  })

  it('is one page for each file: a title, one heading of the first level, no Markdown left over', () => {
    for (const [url, html] of pages) {
      assert.equal(html.match(/<h1[ >]/g)?.length, 1, url)
      assert.match(html, /<title>[^<]+ · Banyan<\/title>/, url)
      const text = html.replaceAll(/<pre.*?<\/pre>|<code.*?<\/code>/gs, '')
      assert.doesNotMatch(text, /\*\*|\]\(|```|undefined|\[object/, url)
    }
  })

  it('shows no HTML of its own in a file, because the content policy would not allow its style', () => {
    const code = /^```.*?^```$|`[^`\n]+`|<https?:[^>]+>|<!--.*?-->|<br>/gms
    const offences = files.flatMap((file) => {
      const [tag] = /<\/?[a-z][^>]*>/i.exec(readText(file).replaceAll(code, '')) ?? []
      return tag === undefined ? [] : [`${file}: ${tag}`]
    })
    assert.deepEqual(offences, [])
  })

  it('loads only our files, and can be read without script', async () => {
    const { headers, body } = await get('/docs/reference/errors')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /unsafe|sha256|https?:/)
    assert.doesNotMatch(body, / style=| on[a-z]+=|<style|<script(?! src="\/docs\/)/)
    assert.match(body, /<form role="search" action="\/docs\/search">/)
  })

  it('shows the host and port that the reader used in examples, and nothing of a malformed one', async () => {
    const page = '/docs/partners/first-policy'
    assert.match((await get(page, { host: 'localhost:18080' })).body, /\{BANYAN:-http:\/\/localhost:18080\}/)
    const { body } = await get(page, { host: 'x"><script>alert(1)</script>' })
    assert.doesNotMatch(body, /alert/)
  })

  it('shows the public address only in production, whatever the headers of a request say', async () => {
    const { app } = await t.openNode({ trustedProxies: 1 })
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
    for (const url of [
      '/docs/partners/first-policy',
      '/docs/partners/first-policy.md',
      '/docs/search?q=policy',
      '/llms.txt',
    ]) {
      const { statusCode, body } = await app.inject({ url, headers })
      assert.equal(statusCode, 200, url)
      assert(!body.includes('evil.example'), url)
    }
    const { body } = await app.inject({ url: '/docs/partners/first-policy', headers })
    assert(body.includes(`{BANYAN:-${ORIGIN}}`))
  })

  it('404 for a page that does not exist, as a page for people and as a problem for programs', async () => {
    const page = await get('/docs/partners/nothing')
    assert.equal(page.statusCode, 404)
    assert.match(page.body, /<h1>Not found<\/h1>/)
    const problem = await t.app.inject({ url: '/docs/partners/nothing', headers: { accept: 'application/json' } })
    assert.deepEqual([problem.statusCode, problem.json<{ code: string }>().code], [404, 'not_found'])
    for (const url of ['/docs/assets/session.js', '/docs/assets/..%2fpackage.json', '/docs/..%2fpackage.json'])
      assert.equal((await get(url)).statusCode, 404, url)
  })

  it('200 for the pictures of a page, as PNG, byte for byte', async () => {
    const urls = linksIn(pages.get('/docs/desks/applications') ?? '').filter((url) => url.endsWith('.png'))
    assert.deepEqual(urls, ['/docs/pictures/issue-three.png', '/docs/pictures/policy.png'])
    for (const url of urls) {
      const { statusCode, headers, rawPayload } = await get(url)
      assert.deepEqual(
        [statusCode, headers['content-type'], headers['x-content-type-options']],
        [200, 'image/png', 'nosniff'],
      )
      assert(rawPayload.equals(readFileSync(new URL(`../..${url}`, import.meta.url))))
    }
    assert.equal((await get('/docs/pictures/nothing.png')).statusCode, 404)
  })

  it('has the page before and the page after', () => {
    const page = pages.get(listed[1] ?? '') ?? ''
    assert(page.includes(`<a rel="prev" href="${listed[0]}">`) && page.includes(`<a rel="next" href="${listed[2]}">`))
  })
})

describe('what pages say about the wallet', () => {
  it('is what the program does: the message of a code, how long tokens last', async () => {
    const [message = ''] =
      /is your one-time code\.[^`]+/.exec(readText('src/domains/money/wallet-sessions/jobs.ts')) ?? []
    assert(message.length > 20 && readText('docs/partners/app.md').includes(message))
    const { ABSOLUTE_SECONDS } = await import('../../src/access/refresh-families.ts')
    const days = `${ABSOLUTE_SECONDS / 86_400} days in any case`
    const [, minutes = ''] = /SHORT_TOKEN_SECONDS = (\d+) \* 60/.exec(readText('src/access/tokens.ts')) ?? []
    for (const page of ['app', 'authentication']) {
      const text = readText(`docs/partners/${page}.md`)
      assert(text.includes(days) && minutes !== '' && text.includes(` ${minutes} minutes`), page)
    }
  })
})

describe('README', () => {
  it('has at most 110 lines, and what people ask before they decide', () => {
    const text = readText('README.md')
    assert(text.split('\n').length <= 110)
    for (const row of [
      'Maturity',
      'It does not',
      'It needs',
      'It carries',
      'Security',
      'Languages',
      'Support',
      'Instead',
    ])
      assert.match(text, new RegExp(`^\\| ${row}`, 'm'))
  })
})

describe('the handbook as text', () => {
  it('200 with the Markdown of every page, whose links lead to Markdown too', async () => {
    for (const [url, html] of pages) {
      const [, text = ''] = /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html) ?? []
      const response = await get(text)
      assert.equal(response.statusCode, 200, url)
      assert.match(String(response.headers['content-type']), /^text\/markdown/)
      assert.match(response.body, /^# /m, url)
    }
    const { body } = await get('/docs/index.md')
    assert.match(body, /\]\(\/docs\/partners\/first-policy\.md\)/)
  })

  it('200 at /llms.txt, which lists every page of the contents with its text', async () => {
    const { statusCode, headers, body } = await get('/llms.txt', { host: 'localhost:18080' })
    assert.equal(statusCode, 200)
    assert.match(String(headers['content-type']), /^text\/plain/)
    assert.match(body, /^# Banyan\n\n> .+\n\n## /)
    const urls = [...body.matchAll(/\]\(http:\/\/localhost:18080([^)]+)\)/g)].map(([, url = '']) => url)
    const documents = urls.filter((url) => url.endsWith('.json'))
    assert.deepEqual(documents, ['/openapi.json', '/asyncapi.json'])
    assert.equal(urls.length, listed.length + documents.length)
    for (const url of urls) assert.equal((await get(url)).statusCode, 200, url)
  })
})

describe('the search', () => {
  type Results = { results: { url: string; page: string; title: string; snippet: string }[] }
  const search = async (q: string) =>
    (await get(`/docs/search.json?q=${encodeURIComponent(q)}`)).json<Results>().results

  it('200 with the sections that contain all words, those with them in the title first', async () => {
    const [first] = await search('idempotency_key_reused')
    assert.equal(first?.url, '/docs/reference/errors#idempotency_key_reused')
    assert((await search('webhook signat')).some(({ url }) => url.startsWith('/docs/partners/webhooks')))
  })

  it('tolerates a typing error, and finds nothing where there is nothing', async () => {
    assert((await search('idempotncy')).length > 0)
    for (const q of ['', ' ', '-', 'xyzzyqwerty']) assert.deepEqual(await search(q), [])
  })

  it('completes words of three letters or more, and takes shorter ones as they are', async () => {
    assert((await search('idempot')).some(({ url }) => url.startsWith('/docs/partners/retries')))
    for (const q of ['wa', 'pu']) assert.deepEqual(await search(q), [], q)
    assert((await search('id')).length > 0)
  })

  it('looks up a word once, however often it is written, and no more than eight', async () => {
    const found = await search('webhook')
    assert(found.length > 0)
    assert.deepEqual(await search('webhook Webhook, WEBHOOK webhook'), found)
    const eight = 'the a of and is it in to'
    assert.deepEqual(await search(`${eight} xyzzyqwerty`), await search(eight))
  })

  const FOUND: Record<string, string> = {
    pagination: '/docs/partners/sync',
    'otp not received': '/docs/desks/people',
    otp: '/docs/partners/wallets',
    gdpr: '/docs/partners/onboarding',
    'delete user': '/docs/partners/onboarding',
    'rate limit': '/docs/partners/limits',
    sdk: '/docs/client',
    android: '/docs/partners/app',
  }
  for (const [query, page] of Object.entries(FOUND))
    it(`finds ${page} for ${query}, among the first five and before every page for contributors`, async () => {
      const pages = (await search(query)).map(({ url }) => url.replace(/#.*/, ''))
      assert(pages.slice(0, 5).includes(page), pages.join(' '))
      assert.deepEqual(
        pages.slice(0, pages.indexOf(page)).filter((url) => /recipes|contributing|decisions|architecture/.test(url)),
        [],
      )
    })

  it('200 as a page without script, which shows the words as text and never as HTML', async () => {
    const { statusCode, body } = await get(`/docs/search?q=${encodeURIComponent('"wallet')}`)
    assert.equal(statusCode, 200)
    assert.match(body, /<ol class="results">/)
    assert(body.includes('value="&quot;wallet"'))
    assert(!(await get(`/docs/search?q=${encodeURIComponent('<b>none')}`)).body.includes('<b>'))
  })
})

/** Everything that a page may link: files and folders of the project. */
const there = new Set(
  [
    'docs',
    'client',
    'client-python',
    'samples',
    'src',
    'deploy',
    'templates',
    'migrations',
    'bench',
    'tests',
    'tools',
    'sandbox',
  ].flatMap(pathsBelow),
)
const isThere = (path: string) => there.has(path) || (!path.includes('/') && readText(path).length > 0)
