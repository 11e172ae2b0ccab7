import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createTypesetter } from '../../../src/kernel/pdf/typesetter.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { factsOf, pageTextsOf, tagsOf, textOf } from '../../support/pdf.ts'

const FONTS = new URL('../../../templates/fonts', import.meta.url).pathname
const MADE_AT = new Date('2026-04-03T06:30:00Z')

const HEAD = `
#set document(title: "A plain page", author: "Suraksha General")
#set text(font: ("Noto Sans", "Noto Sans Devanagari", "Noto Sans Tamil", "Noto Sans Telugu", "Noto Sans Kannada",
  "Hind Siliguri", "Noto Sans Gujarati", "Noto Sans Gurmukhi", "Noto Sans Malayalam", "Noto Sans Oriya",
  "Noto Sans Arabic", "Noto Sans Ol Chiki", "Noto Sans Meetei Mayek"), fallback: false, lang: "en")
#let data = json(bytes(sys.inputs.data))
`

const PAGES = {
  plain: `${HEAD}= Certificate\n#for name in data.names [#par(name)]`,
  // Minutes of work for the engine, more than any limit set here.
  endless: `${HEAD}#for i in range(300000000) { if calc.rem(i * i, 7) == 8 [x] }\n#data.name`,
  aborting: `${HEAD}#("क्ष्" * 65)`,
  panicking: `${HEAD}#panic(data.name)`,
  asserting: `${HEAD}#assert.eq(data.name, "somebody else")`,
  lacking: `${HEAD}#let part = data.name\n#data.nominee`,
  misreading: `${HEAD}#int(data.name)`,
  untitled: `#let data = json(bytes(sys.inputs.data))\n#data.name`,
  unexplained: `${HEAD}#image(bytes("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/>"), format: "svg")`,
}

const folder = await mkdtemp(join(tmpdir(), 'banyan-templates-'))
after(() => rm(folder, { recursive: true, force: true }))
await writeTemplates(folder)

async function writeTemplates(templates: string): Promise<void> {
  await mkdir(templates, { recursive: true })
  await symlink(FONTS, join(templates, 'fonts'))
  for (const [name, text] of Object.entries(PAGES)) await writeFile(join(templates, `${name}.typ`), text)
}

type Limits = { templates?: string; waitingMax?: number; waitingLimit_ms?: number; timeLimit_ms?: number }

function createFor(t: { after(stop: () => Promise<void>): void }, limits: Limits = {}) {
  const typesetter = createTypesetter({ templates: folder, ...limits })
  t.after(() => typesetter.stop())
  return {
    typesetter,
    page: (...names: string[]) => typesetter.typeset({ template: 'plain', data: { names }, madeAt: MADE_AT }),
    failure: (template: keyof typeof PAGES, name: string) =>
      typesetter.typeset({ template, data: { name }, madeAt: MADE_AT }).then(
        () => assert.fail('it was typeset'),
        (error: Error) => error,
      ),
  }
}

const isUnavailable = (error: unknown) => error instanceof ProblemError && error.code === 'unavailable'

const NAMES = {
  Latin: 'Asha Example',
  Devanagari: 'आशा उदाहरण',
  'Devanagari with conjuncts': 'श्रीमती क्षितिजा ज्ञानेश्वर त्रिवेदी',
  Tamil: 'ஆஷா எடுத்துக்காட்டு',
  Telugu: 'ఆశా ఉదాహరణ',
  Kannada: 'ಆಶಾ ಉದಾಹರಣೆ',
  Bengali: 'আশা উদাহরণ',
  Gujarati: 'આશા ઉદાહરણ',
  Gurmukhi: 'ਆਸ਼ਾ ਉਦਾਹਰਨ',
  Malayalam: 'ആശാ ഉദാഹരണം',
  Oriya: 'ଆଶା ଉଦାହରଣ',
  'Ol Chiki': 'ᱟᱥᱟ ᱫᱟᱹᱭᱠᱟᱹ',
  'a sum in rupees': '₹12,34,567.50',
}

/** An engine for the tests that are not about engines. */
const { page, failure, typesetter } = createFor({ after })

describe('a document', () => {
  it('has every name and ₹ as text, exactly as given', async () => {
    const text = await textOf(await page(...Object.values(NAMES)))
    for (const [script, name] of Object.entries(NAMES)) {
      assert(text.split('\n').includes(name), `${script}: ${name} is not a line of ${text}`)
    }
  })

  it('is tagged, titled and dated from its data, never by today’s date', async () => {
    const bytes = await page('Asha Example')
    const facts = await factsOf(bytes)
    assert.deepEqual(facts, {
      title: 'A plain page',
      author: 'Suraksha General',
      language: 'en',
      createdAt: 'D:20260403063000Z',
      isTagged: true,
      pages: 1,
    })
    const { roles } = await tagsOf(bytes)
    assert(roles.includes('H1') && roles.includes('P'), roles.join(' '))
  })

  it('is the same byte for byte for the same input, from another engine too, and differs for another input', async (t) => {
    const other = createFor(t)
    const same = await Promise.all([page('Asha Example'), page('Asha Example'), other.page('Asha Example')])
    for (const one of same) assert.deepEqual(one, same[0])
    assert.notDeepEqual(await page('Ravi Example'), same[0])
  })

  it('prints user text unchanged: nothing in it is markup', async () => {
    const name = '#panic("x") *bold* $x$ [a] @ref <b> = H \\u{41} // c /* d */ ~ -- `raw` https://example.com'
    assert.deepEqual(await pageTextsOf(await page(name)), [`Certificate\n${name}`])
  })

  it('is produced for a name in letters that no font has, and keeps the rest of the text', async () => {
    for (const name of ['Asha 😀 漢字 Example', '\ufeffAsha of Example']) {
      const bytes = await page(name)
      assert((await factsOf(bytes)).isTagged)
      assert.match(await textOf(bytes), /Asha .* Example/)
    }
  })
})

describe('a template with an error', () => {
  const NAME = 'Asha Unmistakable Example'

  it('is reported with its position, and never with the data', async () => {
    for (const [template, reported] of [
      ['panicking', /panicking\.typ:7:2: panicked with/],
      ['asserting', /asserting\.typ:7:2: equality assertion failed/],
      ['lacking', /lacking\.typ:8:2: type string has no method|lacking\.typ:8:\d+: dictionary does not contain key/],
      ['misreading', /misreading\.typ:7:\d+: invalid integer/],
      ['untitled', /missing document title/],
      ['unexplained', /missing alt text/],
    ] as const) {
      const error = await failure(template, NAME)
      assert.match(error.message, reported)
      assert(!isUnavailable(error), 'it is no use to try again')
      assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /Unmistakable/)
    }
  })

  it('does not prevent the next document', async () => {
    const [error, bytes] = await Promise.all([failure('panicking', NAME), page('Ravi Example')])
    assert.match(error.message, /panicked/)
    assert.match(await textOf(bytes), /Ravi Example/)
  })

  it('that is missing is reported as well', async () => {
    const missing = typesetter.typeset({ template: 'missing', data: {}, madeAt: MADE_AT })
    await assert.rejects(missing, { message: /file not found/ })
  })
})

describe('the typesetter', () => {
  /** Of a document here: as many times as a start takes on this machine at this moment. */
  const TIMES_A_START = 6
  const TIME_LIMIT_MS_MIN = 1_500

  it('rejects with 503 when the queue is full; queued ones are served', async (t) => {
    const { page } = createFor(t, { waitingMax: 2 })
    const calls = await Promise.allSettled(['one', 'two', 'three', 'four', 'five'].map((name) => page(name)))
    assert.deepEqual(
      calls.map((call) => (call.status === 'rejected' ? isUnavailable(call.reason) && 503 : 200)),
      [200, 200, 200, 503, 503],
    )
    assert.match(await textOf(await page('later')), /later/)
  })

  it('does not delay timers while it typesets 20 documents', async (t) => {
    const { page, typesetter } = createFor(t, { waitingLimit_ms: 60_000 })
    await typesetter.warmUp()
    const names = Array.from({ length: 1_500 }, (_, index) => `Asha Example ${index}`)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    t.after(() => clearInterval(timer))
    const pages = await Promise.all(Array.from({ length: 20 }, () => page(...names)))
    assert.equal(pages.length, 20)
    // In this process, each document would block it until done: 20 turns.
    assert(turns > 5 * pages.length, `${turns} turns`)
  })

  it('rejects with 503 when a document takes too long, and typesets the next in a new engine', async (t) => {
    // The endless document uses the CPU for all of the limit, and a new engine must start within it.
    const from = performance.now()
    await createFor(t).page('Asha Example')
    const timeLimit_ms = Math.max(TIME_LIMIT_MS_MIN, TIMES_A_START * (performance.now() - from))
    const { page, failure, typesetter } = createFor(t, { timeLimit_ms, waitingLimit_ms: 120_000 })
    await typesetter.warmUp()
    const next = page('Ravi Example').catch((error: unknown) => error)
    const error = await failure('endless', 'Asha Example')
    assert(isUnavailable(error), String(error))
    assert.match(String(error.cause), /too long/)
    assert((await next) instanceof Uint8Array)
    assert.match(await textOf(await page('Asha Example')), /Asha Example/)
  })

  it('rejects with 503 while its engine does not start, and recovers when that is fixed', async (t) => {
    const templates = join(folder, 'later')
    const { page, typesetter } = createFor(t, { templates })
    await assert.rejects(typesetter.warmUp(), isUnavailable)
    await assert.rejects(page('Asha Example'), isUnavailable)
    await writeTemplates(templates)
    assert.match(await textOf(await page('Asha Example')), /Asha Example/)
  })

  it('rejects with 503 after too long a wait, and skips documents that nobody waits for', async (t) => {
    const { page, typesetter } = createFor(t, { waitingLimit_ms: 300 })
    await typesetter.warmUp()
    const busy = Promise.allSettled([typesetter.typeset({ template: 'endless', data: { name: 'x' }, madeAt: MADE_AT })])
    const caller = new AbortController()
    const job = { template: 'plain', data: { names: ['Ravi'] }, madeAt: MADE_AT, signal: caller.signal }
    const left = assert.rejects(typesetter.typeset(job), isUnavailable)
    const late = assert.rejects(page('Asha Example'), isUnavailable)
    caller.abort()
    await left
    await late
    await typesetter.stop()
    await busy
  })

  it('survives an engine that aborts: 503 for that document, and the next is typeset', async (t) => {
    const { page, failure } = createFor(t)
    const next = page('Ravi Example').then(() => failure('aborting', 'Asha Example'))
    const error = await next
    assert(isUnavailable(error), String(error))
    assert.match(String(error.cause), /SIGABRT/)
    assert.match(await textOf(await page('Asha Example')), /Asha Example/)
  })

  it('prints a name full of bidirectional controls, which would make the engine abort', async () => {
    const text = await textOf(await page(`Asha${'\u202b\u0661'.repeat(100)} Example`))
    assert.match(text, /Asha/)
    assert.match(text, /Example/)
  })

  it('rejects queued and new documents when it stops', async (t) => {
    const { page, typesetter } = createFor(t)
    const calls = [page('one'), page('two')].map((call) => assert.rejects(call, isUnavailable))
    await typesetter.stop()
    await Promise.all(calls)
    await assert.rejects(page('three'), isUnavailable)
  })
})

describe('the template revision', () => {
  it('is the same for the same templates, and differs when a template changes', async (t) => {
    const templates = join(folder, 'changing')
    await writeTemplates(templates)
    const before = createFor(t, { templates }).typesetter.revision
    assert.match(before, /^[\w-]{43}$/)
    assert.equal(createTypesetter({ templates }).revision, before)
    await writeFile(join(templates, 'README.md'), 'Words for designers decide nothing.')
    assert.equal(createTypesetter({ templates }).revision, before)
    await writeFile(join(templates, 'plain.typ'), `${PAGES.plain}\nOne line more.`)
    assert.notEqual(createTypesetter({ templates }).revision, before)
  })
})
