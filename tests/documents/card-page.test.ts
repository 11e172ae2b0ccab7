import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { CARD_PAGE_POLICY, cardPage } from '../../src/domains/cover/documents/card-page.ts'
import type { CardCheck } from '../../src/domains/cover/documents/check-card.ts'

const FACTS = {
  valid_until: '2027-03-31',
  issuer: 'Suraksha General',
  checked_on: '2026-04-01',
  checked_at: '2026-04-01T06:04:59',
  policy_number_last4: '4821',
  member_initials: 'A. E.',
}
const RESULTS = ['valid', 'in_grace', 'not_started', 'expired'] as const
const CHECKS: CardCheck[] = [{ result: 'not_valid' }, ...RESULTS.map((result) => ({ result, ...FACTS }))]

/** The words of the page in order, as a person reads or hears them, starting with the title. */
const wordsOf = (page: string) =>
  page
    .replace(/<style>[^]*?<\/style>/, '')
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter((text) => text !== '')

const tagsOf = (page: string) => page.match(/<[^>]*>/g) ?? []

describe('the page of a card check', () => {
  for (const [result, word, hindi, until] of [
    ['valid', 'Valid', 'मान्य', 'Valid until'],
    ['in_grace', 'In grace period', 'अनुग्रह अवधि में', 'Renewable until'],
  ] as const) {
    it(`shows "${word}" with its five facts and what to do, and nothing else`, () => {
      const shown = wordsOf(cardPage({ result, ...FACTS }))
      const facts = [
        until,
        '31 March 2027',
        'Member',
        'A. E.',
        'Policy number ends in',
        '4821',
        'Insurer',
        'Suraksha General',
      ]
      const checked = ['Checked on', '1 April 2026', ', 11:34 in India']
      assert.deepEqual(shown.slice(0, -1), [`${word} – health card`, word, hindi, ...facts, ...checked])
      assert.match(shown.at(-1) ?? '', /insurer/)
    })
  }

  it('shows "Expired" without a day on which it is valid', () => {
    const { valid_until: _, ...facts } = FACTS
    const shown = wordsOf(cardPage({ result: 'expired', ...facts }))
    assert.deepEqual(shown.slice(0, 3), ['Expired – health card', 'Expired', 'समाप्त'])
    assert(!shown.some((words) => /until/.test(words)), shown.join())
  })

  it('shows "Not started" with the first day of the cover, and none until which it is valid', () => {
    const { valid_until: _, ...facts } = FACTS
    const shown = wordsOf(cardPage({ result: 'not_started', valid_from: '2026-05-01', ...facts }))
    assert.deepEqual(shown.slice(0, 5), [
      'Not started – health card',
      'Not started',
      'अभी शुरू नहीं',
      'Covered from',
      '1 May 2026',
    ])
    assert(!shown.some((words) => /until/.test(words)), shown.join())
  })

  it('says in grace whether treatment is covered today, and in no other state', () => {
    const said = (covered: boolean) => wordsOf(cardPage({ result: 'in_grace', covered, ...FACTS })).join(' ')
    assert.match(said(true), /Covered today Yes Member/)
    assert.match(said(false), /Covered today No, until it is renewed or paid Member/)
    for (const result of RESULTS) assert.doesNotMatch(cardPage({ result, ...FACTS }), /Covered today/)
  })

  it('asks for the newer card of somebody who is covered, and of nobody else', () => {
    const newer = wordsOf(cardPage({ result: 'valid', newer_card: true, ...FACTS }))
    assert.match(
      newer.at(-1) ?? '',
      /^The details on this card have changed: ask the member for the newer card\. Compare/,
    )
    for (const result of RESULTS)
      assert.doesNotMatch(cardPage({ result, ...FACTS }), /details on this card have changed/)
  })

  it('shows "Not valid", what that may mean and what to do, and nothing else', () => {
    const [title, word, hindi, help, ...more] = wordsOf(cardPage({ result: 'not_valid' }))
    assert.deepEqual([title, word, hindi, more], ['Not valid', 'Not valid', 'अमान्य', []])
    assert.match(help ?? '', /not recognised.+call the insurer/)
  })

  it('contains only what it should show, whatever else it is passed', () => {
    const more = { ...FACTS, name: 'Asha Example', policy_number: '99914821', card_id: 'abc' }
    assert.equal(cardPage({ result: 'valid', ...more }), cardPage({ result: 'valid', ...FACTS }))
    const notValid = { ...more, result: 'not_valid' } as CardCheck
    assert.equal(cardPage(notValid), cardPage({ result: 'not_valid' }))
  })

  it('shows each state by its word, a colour and an icon of its own', () => {
    for (const pattern of [/<h1>(.+)<\/h1>/, /<path d="(.+?)"/, /<body class="(\w+)"/]) {
      const found = CHECKS.map((check) => pattern.exec(cardPage(check))?.[1])
      assert.equal(new Set(found).size, CHECKS.length, String(found))
    }
    const colours = CHECKS.map((check) => {
      const page = cardPage(check)
      return new RegExp(`\\.${check.result} header \\{ background: (#\\w+)`).exec(page)?.[1]
    })
    assert.equal(new Set(colours).size, CHECKS.length, String(colours))
  })

  it('sets a language, a width for phones and colours for dark mode', () => {
    for (const page of CHECKS.map(cardPage)) {
      assert.match(page, /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
      assert.match(page, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
      assert.match(page, /color-scheme: light dark/)
      assert.match(page, /@media \(prefers-color-scheme: dark\)/)
      assert.match(page, /<meta name="robots" content="noindex">/)
    }
  })

  it('loads nothing, and its policy allows only its own style', () => {
    for (const page of CHECKS.map(cardPage)) {
      assert.doesNotMatch(page, /https?:|<script|\bsrc=|\bstyle=|\bon\w+=|url\(|@import|<form|<a\b|<iframe/i)
      assert.deepEqual(
        [...page.matchAll(/href="(.*?)"/g)].map((match) => match[1]),
        ['data:,'],
      )
      const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
      const digest = createHash('sha256').update(style).digest('base64')
      assert(CARD_PAGE_POLICY.includes(`; style-src 'sha256-${digest}';`), CARD_PAGE_POLICY)
    }
    assert.match(CARD_PAGE_POLICY, /^default-src 'none'; /)
    assert.doesNotMatch(CARD_PAGE_POLICY, /unsafe|\*|https?:/)
  })

  const HOSTILE = [
    '<script>alert(1)</script>',
    '</bdi></dd><img src=x onerror=alert(1)>',
    '"><b>',
    "' onload='x",
    '<!--',
    '</style>',
    '&lt;b&gt;',
    '$& $1 ${1}',
  ]
  for (const text of HOSTILE) {
    it(`escapes hostile text: ${text}`, () => {
      const plain = cardPage({ result: 'valid', ...FACTS })
      for (const member of ['member_initials', 'policy_number_last4', 'issuer'] as const) {
        const page = cardPage({ result: 'valid', ...FACTS, [member]: text })
        assert.deepEqual(tagsOf(page), tagsOf(plain))
        assert(wordsOf(page).map(unescaped).includes(text))
      }
    })
  }

  it('shows initials in any script, and the dates of any month', () => {
    for (const member_initials of ['आ. उ.', 'அ. எ.', 'ఆ. ఉ.', 'ಆ. ಉ.', 'আ. উ.']) {
      assert(wordsOf(cardPage({ result: 'valid', ...FACTS, member_initials })).includes(member_initials))
    }
    for (const [checked_on, words] of [
      ['2026-01-31', '31 January 2026'],
      ['2028-02-29', '29 February 2028'],
      ['2026-12-01', '1 December 2026'],
    ] as const) {
      const page = cardPage({ result: 'expired', ...FACTS, checked_on })
      assert(wordsOf(page).includes(words), words)
      assert.match(page, new RegExp(`<time datetime="${checked_on}">`))
    }
  })
})

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
