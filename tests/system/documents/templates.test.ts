import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { ImageData } from '@napi-rs/canvas'
import { createTypesetter } from '../../../src/kernel/pdf/typesetter.ts'
import { type DocumentData, NAMES, SAMPLES, TEMPLATES } from '../../../tools/sample-documents.ts'
import { factsOf, pageTextsOf, pictureOf, picturesOf, qrCodeIn, tagsOf, textOf } from '../../support/pdf.ts'
import { UNHURRIED } from '../../support/installation.ts'

type Template = (typeof TEMPLATES)[number]

const PAGE_TEMPLATES = TEMPLATES.filter((template) => template !== 'health_card')
const typesetter = createTypesetter({
  templates: new URL('../../../templates', import.meta.url).pathname,
  ...UNHURRIED,
})
after(() => typesetter.stop())

const sample = (name: string): DocumentData => {
  const data = SAMPLES[name]
  assert(data)
  return data
}

const documents = new Map<string, Promise<Uint8Array>>()

/** Several tests look at the same document, which is typeset once. */
function typeset(template: Template, data: DocumentData): Promise<Uint8Array> {
  const key = JSON.stringify({ template, data })
  const document =
    documents.get(key) ?? typesetter.typeset({ template, data, madeAt: new Date('2026-04-03T06:30:00Z') })
  documents.set(key, document)
  return document
}

/** Line breaks are irrelevant to these tests. */
const withoutGaps = (text: string) => text.replace(/\s/g, '')

async function assertShows(bytes: Uint8Array, ...values: (string | null | (string | null)[])[]): Promise<void> {
  const text = withoutGaps(await textOf(bytes))
  for (const value of values.flat()) assert(text.includes(withoutGaps(String(value))), `${value} is not in ${text}`)
}

const sum = (a: number, b: number) => a + b

const peopleIn = ({ member, dependants }: DocumentData) => [
  { name: member.name, born: member.born, number: member.number, covered: null },
  ...dependants,
]

describe('each template', () => {
  for (const template of TEMPLATES) {
    it(`${template} is tagged, titled and uses only our fonts, whatever the data`, async () => {
      for (const data of Object.values(SAMPLES)) {
        const bytes = await typeset(template, data)
        const { title, author, language, isTagged } = await factsOf(bytes)
        assert(isTagged)
        assert.match(title, /^(Policy certificate|Customer information sheet|Enrolment form|Health card), \w/)
        assert.deepEqual([author, language], [data.policy.insurer, 'en-IN'])
        const { roles } = await tagsOf(bytes)
        assert.equal(roles.filter((role) => role === 'H1').length, 1)
        const fonts = Buffer.from(bytes)
          .toString('latin1')
          .matchAll(/\/BaseFont \/\w{6}\+(\w+)/g)
        for (const [, font] of fonts) assert.match(font ?? '', /^(NotoSans|HindSiliguri)/)
      }
    })

    it(`${template} prints nothing in place of missing data`, async () => {
      assert.doesNotMatch(await textOf(await typeset(template, sample('bare'))), /\b(none|null|undefined)\b/)
    })

    it(`${template} prints user text unchanged`, async () => {
      const name = '#panic("x") *bold* $x$ [a] @ref <b> \\u{41} // c'
      const { policy, member, card } = sample('family')
      const data = {
        ...sample('family'),
        policy: { ...policy, insurer: name, sponsor: name },
        member: { ...member, name },
        card: { ...card, name },
      }
      await assertShows(await typeset(template, data), [name])
    })
  }

  for (const template of PAGE_TEMPLATES) {
    it(`${template} has a table with a header, repeated on every page`, async () => {
      const bytes = await typeset(template, sample('crowd'))
      const { roles } = await tagsOf(bytes)
      assert(roles.includes('Table') && roles.includes('TH') && roles.includes('TD'))
      const pages = await pageTextsOf(bytes)
      assert(pages.length > 5)
      const heads = pages.filter((page) => /Member\tName|What it means for you|Question\tAnswer/.test(page))
      assert(heads.length >= pages.length - 4, `${heads.length} heads on ${pages.length} pages`)
      assert(pages.every((page, index) => page.includes(`Page ${index + 1} of ${pages.length}`)))
    })

    it(`${template} keeps its margins white when every text has its maximum length`, async () => {
      const bytes = await typeset(template, sample('crowd'))
      const pictures = await picturesOf(bytes, (pages) => [1, 2, 3, pages - 1, pages], { dpi: MM_DPI * 2 })
      assert.equal(pictures.length, 5)
      for (const picture of pictures) assertWhiteMargins(picture, { left: 20, right: 20, top: 8, bottom: 8 })
    })
  }
})

describe('a document of pages', () => {
  /** What a person has to read at least on the last of several pages. */
  const LINES_MIN = 6

  const familyOf = (dependants: number): DocumentData => {
    const data = sample('family')
    const [{ name, born }] = data.dependants as [DocumentData['dependants'][number]]
    return {
      ...data,
      dependants: Array.from({ length: dependants }, (_, at) => ({
        number: String(at + 2),
        name,
        born,
        covered: null,
      })),
    }
  }

  it('is one page for the usual families: a form for four people and three questions, the others for eleven', async () => {
    for (const template of PAGE_TEMPLATES) {
      const bytes = await typeset(template, familyOf(template === 'enrollment_form' ? 3 : 10))
      assert.equal((await factsOf(bytes)).pages, 1, template)
    }
  })

  for (const template of PAGE_TEMPLATES) {
    it(`${template} never ends with a page of a few lines, however many people it names`, async () => {
      for (let count = 4; count <= 34; count++) {
        const pages = await pageTextsOf(await typeset(template, familyOf(count)))
        const lines = pages.at(-1)?.trim().split('\n').length ?? 0
        assert(pages.length === 1 || lines >= LINES_MIN, `${lines} lines on the last page with ${count} dependants`)
      }
    })
  }

  it('has no id of a machine but the reference in small print', async () => {
    for (const template of TEMPLATES) {
      const text = await textOf(await typeset(template, sample('kin')))
      assert.doesNotMatch(
        text.replace(/Reference\s+pol_[0-9a-z]{26}/, ''),
        /\b[a-z]{3}_[0-9a-z]{6}|\b\d{12}\b/,
        template,
      )
    }
  })
})

const MM_DPI = 25.4

/** Whether a picture has the colour in more than single pixels. */
function hasColour({ data }: ImageData, colour: string): boolean {
  const [red, green, blue] = Buffer.from(colour.slice(1), 'hex')
  let found = 0
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found++
  return found > 100
}

/** Asserts that the outer millimetres of a page, rendered at two pixels per millimetre, are blank. */
function assertWhiteMargins(
  { width, height, data }: ImageData,
  margins: { left: number; right: number; top: number; bottom: number },
): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isInside =
        x >= margins.left * 2 &&
        x < width - margins.right * 2 &&
        y >= margins.top * 2 &&
        y < height - margins.bottom * 2
      const at = 4 * (y * width + x)
      const [red = 0, green = 0, blue = 0] = isInside ? [255, 255, 255] : [data[at], data[at + 1], data[at + 2]]
      if (Math.min(red, green, blue) <= 250) assert.fail(`ink at ${x / 2}, ${y / 2} mm`)
    }
  }
}

describe('the policy certificate', () => {
  it('shows the insured, the insurer, the cover, the dates and the cost', async () => {
    const data = sample('family')
    const { policy, premium, nominee } = data
    await assertShows(
      await typeset('policy_certificate', data),
      peopleIn(data).map(({ number, name, born, covered }) =>
        number === '1' ? `1 Ms ${name} Member ${born}` : `${number} ${name} Dependant ${covered ?? ''} ${born}`,
      ),
      [policy.number, policy.id, policy.master_number, policy.benefit, policy.plan, policy.insurer, policy.sponsor],
      [`${policy.from} to ${policy.to}`, `${policy.term}, both days included`],
      [policy.renewal_opens, policy.renewal_window, policy.grace, policy.grace_ends],
      [premium.annual, premium.daily, premium.sponsor, premium.member],
      [nominee?.name ?? '', '1, issued on 3 April 2026', 'needs no signature', data.made_on],
    )
  })

  it('fits on one page for eleven people, the last of three issues, of an insurer with an address', async () => {
    assert.equal((await factsOf(await typeset('policy_certificate', sample('kin')))).pages, 1)
  })

  it('has a QR code of the check that scans from paper, and names it', async () => {
    const bytes = await typeset('policy_certificate', sample('kin'))
    const { url } = sample('kin').check
    for (const dpi of [150, 300]) assert.equal(qrCodeIn(await pictureOf(bytes, 1, { dpi })), url.toUpperCase())
    assert(Buffer.from(bytes).includes(`/URI (${url})`))
    assert((await tagsOf(bytes)).alts.includes('QR code of a page that says whether this policy is valid'))
  })

  it('has the insurer’s address and colour where it has them', async () => {
    const bytes = await typeset('policy_certificate', sample('kin'))
    await assertShows(bytes, sample('kin').policy.insurer_address)
    assert(hasColour(await pictureOf(bytes, 1), '#8a1538'))
    assert(!hasColour(await pictureOf(await typeset('policy_certificate', sample('family')), 1), '#8a1538'))
  })

  it('has each of fifty dependants on a line, and a name of four hundred letters in full', async () => {
    const data = sample('crowd')
    const { dependants } = data
    const names = dependants.map(({ number }) => `Number${number} ${'Ravi Example '.repeat(3)}`.trim())
    const crowd = dependants.map((dependant, index) => ({ ...dependant, name: names[index] ?? '' }))
    await assertShows(await typeset('policy_certificate', { ...data, dependants: crowd }), names)

    const letters = (text: string) => text.split('W').length - 1
    const longNames = await textOf(await typeset('policy_certificate', { ...data, policy: sample('family').policy }))
    assert.equal(letters(longNames), letters(dependants.map(({ name }) => name).join('')))
  })

  it('states that there is no grace when there is none', async () => {
    const bytes = await typeset('policy_certificate', sample('bare'))
    await assertShows(bytes, 'expires on that day', 'There is no grace period')
    assert.doesNotMatch(await textOf(bytes), /enters a grace period/)
  })

  it('states from the second issue on that it replaces earlier ones', async () => {
    const data = sample('family')
    const other = await typeset('policy_certificate', { ...data, policy: { ...data.policy, issue: 2 } })
    await assertShows(other, 'Issue 2 replaces every earlier issue.')
    assert.doesNotMatch(await textOf(await typeset('policy_certificate', data)), /replaces every earlier/)
  })
})

describe('the customer information sheet', () => {
  it('shows what applies to this member, and nothing that was not provided', async () => {
    const data = sample('family')
    const { policy, premium } = data
    const bytes = await typeset('customer_information_sheet', data)
    await assertShows(
      bytes,
      peopleIn(data).map(({ name }) => name),
      [policy.number, policy.master_number, policy.benefit, policy.plan, policy.insurer, policy.sponsor],
      [policy.from, policy.to, policy.term, policy.renewal_opens, policy.grace_ends, data.origin],
      [premium.annual, premium.daily, premium.sponsor, premium.member],
    )
    const known = withoutGaps(JSON.stringify(data))
    for (const [sum] of (await textOf(bytes)).matchAll(/₹[\d,.]*\d/g)) assert(known.includes(sum), sum)
  })
})

describe('the enrolment form', () => {
  it('shows who applied for what, how to reach them, and the whole questionnaire', async () => {
    const data = sample('family')
    const { policy, member, application } = data
    await assertShows(
      await typeset('enrollment_form', data),
      peopleIn(data).map(({ number, name, born, covered }) =>
        number === '1' ? `1 Ms ${name} Member ${born}` : `${number} ${name} Dependant ${covered ?? ''} ${born}`,
      ),
      [member.gender, application.applied_on, application.phone, application.email, ...(application.address ?? [])],
      (application.questions ?? []).flatMap(({ question, answer }) => [question, answer]),
      [policy.plan, policy.insurer, policy.sponsor, policy.id, data.premium.annual, 'The applicant declares'],
      ['Declared by Ms Asha Example on 1 April 2026', `Reference ${policy.reference}`],
    )
  })

  it('has a hundred questions with their responses, none truncated', async () => {
    const data = sample('crowd')
    const questions = data.application.questions ?? []
    assert.equal(questions.length, 100)
    const text = await textOf(await typeset('enrollment_form', data))
    const count = (what: string) => text.split(what).length - 1
    assert.equal(count('hospital'), questions.map(({ question }) => question.split('hospital').length - 1).reduce(sum))
    assert.equal(count('once'), questions.map(({ answer }) => answer.split('once').length - 1).reduce(sum))
  })
})

describe('the health card', () => {
  it('has two wallet-sized sides, whatever its content', async () => {
    for (const data of Object.values(SAMPLES)) {
      const bytes = await typeset('health_card', data)
      assert.equal((await factsOf(bytes)).pages, 2)
      const { width, height } = await pictureOf(bytes, 1, { dpi: MM_DPI * 10 })
      assert(Math.abs(width - 856) <= 1 && Math.abs(height - 540) <= 1, `${width} × ${height} tenths of a millimetre`)
    }
  })

  it('shows its holder and its validity', async () => {
    const data = sample('family')
    const { policy, card } = data
    await assertShows(
      await typeset('health_card', data),
      [card.name, `Member number ${card.number}`, card.relation, card.born],
      [policy.number, policy.plan, policy.insurer, policy.sponsor, policy.from, policy.to],
    )
  })

  it('has names in every script, and truncates overlong ones with an ellipsis', async () => {
    const { card, ...data } = sample('family')
    // The engine emits Arabic and Meetei Mayek letters twice where a mark is raised or lowered.
    const { Arabic: _, 'Meetei Mayek': __, ...names } = NAMES
    for (const name of Object.values(names)) {
      await assertShows(await typeset('health_card', { ...data, card: { ...card, name } }), name)
    }
    const [front = ''] = await pageTextsOf(await typeset('health_card', sample('crowd')))
    const shown = withoutGaps(front.slice(front.indexOf('ആ'), front.indexOf('Policy number')))
    assert(shown.length > 100 && shown.endsWith('…'), shown)
    assert(withoutGaps(sample('crowd').card.name).startsWith(shown.slice(0, -1)))
  })

  it('has a QR code that scans at 150 and 300 dpi and can be tapped, with the link in words alongside it', async () => {
    const { url } = sample('family').check
    const bytes = await typeset('health_card', sample('family'))
    for (const dpi of [150, 300]) assert.equal(qrCodeIn(await pictureOf(bytes, 2, { dpi })), url.toUpperCase())
    assert(Buffer.from(bytes).includes(`/URI (${url})`))
    const { roles, alts } = await tagsOf(bytes)
    assert(roles.includes('Figure'))
    assert(alts.includes('QR code of a page that says whether this card is valid'))
  })
})
