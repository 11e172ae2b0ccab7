import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pathsBelow, readSources, readText } from './support/sources.ts'

/** A word that was replaced by a term of the field. `allowed` is matched with `path: line`, for other meanings of it. */
type OldWord = { old: RegExp; better: string; allowed?: RegExp }

/** In identifiers: code without comments, strings and regular expressions. */
const NAMES: OldWord[] = [
  {
    old: /\b(?:sharedRead|isShared|sharedBy|mayShare)\b/,
    better: 'batchedRead, isBatched, batchKey, mayBatch',
    allowed: /^(?!src\/)/,
  },
  { old: /\b(?:partWith|insertPart|deletePart|[A-Z_]+_PART)\b/, better: 'linkedWrite, linkedInsert, LINKED_…' },
  { old: /\bBy\b/, better: 'Author', allowed: /^(?!src\/)/ },
  { old: /\b(?:held|kept|shown)\b/, better: 'the noun of what it is', allowed: /^(?!src\/)/ },
  {
    old: /\bmove[ds]?\b|\bmover\b|\bmoves?[A-Z]\w*|\w*[a-z]Moves?\b/,
    better: 'transition',
    allowed: /\bmove(?:To|By|Calendar)\b/, // of the sandbox's clock
  },
  { old: /\banswer(?:s|ed|ing)\b|\bunanswered\b|\banswer[A-Z]\w*|\w*[a-z]Answers?\b|\bAnswers?\b/, better: 'response' },
  {
    old: /\b(?:told|tells?|tales?)\b|\b(?:told|tell)[A-Z]\w*|\w*[a-z](?:Told|Tells?)\b/,
    better: 'report, emit, return',
  },
  { old: /\w*[rR]efusals?\b/, better: 'error, problem, rejection' },
  { old: /\b[kK]it\b|\w*[a-z]Kit\b/, better: 'the noun of what it holds: context, settings, helpers by name' },
  {
    old: /\b(?:[fF]orms?|FORM)\b|\w*[a-z]Forms?\b/,
    better: 'input, format',
    allowed: /^(?:src\/kernel\/pdf-inspection|sandbox\/identity-provider|dashboard\/)|enrolment form/, // of PDF, HTML, paper
  },
  { old: /\b[fF]aults?\b|\w*[a-z]Faults?\b/, better: 'error, defect', allowed: /^tests\/faults\// },
  { old: /\w*(?:[pP]atien|PATIEN)\w*/, better: 'timeout' },
  { old: /\b[sS]tandings?\b/, better: 'current, status' },
  { old: /\w*[dD]enials?\b/, better: 'revocation' },
  { old: /\bmend\w*/, better: 'fix, repair' },
  {
    old: /\b(?:forget|FORGET)\w*|\bforgotten\b/,
    better: 'erase, delete, purge',
    allowed: /^(?:bench|sandbox)\//,
  },
  { old: /\bputOff\b/, better: 'scheduleNextRun, delay' },
  { old: /\b(?:[aA]sking|Wish)\b/, better: 'request' },
  {
    old: /\b[lL]anes?\b|\b(?:lane|turn)s?[A-Z]\w*|\w*[a-z](?:Lane|Turn)s?\b|\b[tT]urns?\b/,
    better: 'bulkhead, dispatcher, serialize, iteration',
    allowed: /^(?!src\/)|\breturn[A-Z]\w*/,
  },
  {
    old: /\b(?:rows?Of|follow|perform)(?:[A-Z]\w*)?\b/,
    better: 'toRow, propagate, trace, track, poll, handle',
    allowed: /^(?!src\/)/,
  },
  {
    // Records that are open, and the words OpenAPI, OpenID and OpenTelemetry.
    old: /\bopen(?!(?:Accounts?|Consultations?|Circuits|Until_ms|Id|Api\w*)\b)[A-Z]\w*/,
    better: 'create, connect, start, prepare, unseal, unwrap',
    allowed: /^(?!src\/)/,
  },
  {
    // In tests, what is closed again when the file or the run ends, and records that are open.
    old: /\bopen(?!(?:\w*(?:App|Node|Nodes|Installation|Shared|Queue|Browser|Person|Page|Session|Sessions|Bookings|Limited|Watched|Receiver|Network|Webhooks|Stage|Side|Contender|Meter|Floor|Load|Generator|Client|Accounts?|Consultations|ApiDocument|Sync))\b)[A-Z]\w*/,
    better: 'create, start, prepare',
    allowed: /^(?!tests\/|bench\/)/,
  },
  {
    old: /\btype (?:Asked|Sought|Taken|Held|Standing|Talk|Tale|New|Named|Ways|Opening|Making|Asking|Sending|Meant)\b/,
    better: 'a noun of the thing: RetryOptions, StoredFile',
    allowed: /^tests\//,
  },
]

/** In comments, texts and documents. */
const PROSE: OldWord[] = [
  { old: /\b(?:[bB]eside|[aA]new|wings?)\b/, better: 'alongside, again, area' },
  {
    old: /\b(?:un)?answer(?:s|ed|ing)?\b/i,
    better: 'response, respond, return',
    allowed:
      /question|one\.answer|ANSWERED|answers about health|person’s answer|'idempotent answer'|`idempotent answer`|`lost_answer`|'lost_answer'|: lost_answer/i,
  },
  { old: /\b(?:told|tells?|telling|tales?)\b(?! .{0,30}\bapart\b)/i, better: 'report, emit, return, state' },
  { old: /\bwhom\b/i, better: 'a shorter sentence, with the noun' },
  { old: /\bwhoever\b/i, better: 'the caller, anyone who', allowed: /^docs\/security\// },
  { old: /\bmend(?:s|ed|ing)?\b/i, better: 'fix' },
  {
    old: /\b(?:contract|completion) \d/i,
    better: 'a link to docs/partners or docs/decisions, which are here',
  },
  { old: /\bpatien(?:ce|t)\b/i, better: 'timeout' },
  { old: /\b(?:can|could|may|to) be had\b/, better: 'is available' },
  {
    old: /\bThere is no such\b|\bno such thing\b/,
    better: 'is missing, does not exist',
    allowed: /There is no such operation/,
  },
  { old: /\bgo(?:es)? by\b/, better: 'depends on, is identified by' },
  { old: /\bsave (?:that|those|for|what)\b/, better: 'except' },
  {
    old: /\bfaults?\b/i,
    better: 'error, defect',
    allowed: /fault test|:faults|\/faults|-faults|^tests\/faults\/|^docs\/reliability|Faults are/,
  },
  { old: /\brefusals?\b/i, better: 'error, rejection' },
  { old: /\bmove[rd]? (?:to|from|into) (?:`|[A-Z]{3})|\b(?:each|every|no|the) moves?\b/, better: 'transition' },
  { old: /\bkits?\b/, better: 'the noun of what it holds' },
  { old: /\bis no failure\b|\bhangs? on (?:others|the old)\b|\bas often as it is asked\b/, better: 'a plain sentence' },
  {
    old: /\blanes?\b|\b(?:in|takes?|taking) turns?\b|\b(?:its|own|this|one) turn\b/,
    better: 'bulkhead, dispatcher, one after another',
    allowed: /^(?!src\/|docs\/|ARCHITECTURE)/,
  },
  { old: /\bto the byte\b/, better: 'byte for byte' },
  {
    old: /\b(?:foreign user|foreign one|looks like a missing one)\b/,
    better: "another platform's, same as for a missing one",
  },
  { old: /\bnetwork address(?:es)?\b/i, better: 'IP address', allowed: /^CHANGELOG/ },
  { old: /\blook-ups?\b/i, better: 'lookup', allowed: /^CHANGELOG/ },
  { old: /of ours\b/, better: 'the noun: of the program, of the service' },
  { old: /\blikewise\b/i, better: 'also' },
  { old: /\bmeanwhile\b/i, better: 'concurrently, until then', allowed: /^(?!src\/|docs\/)/ },
  {
    old: /\bbeside (?:a |the |every |both )?running\b|\bbeside the (?:running )?service\b/,
    better: 'alongside, while … runs',
  },
  { old: /\bparted by\b/, better: 'separated by' },
  { old: /\bcircuit (?:rests|is at rest)\b/, better: 'circuit open' },
]

const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=[(,=:[!&|?{;\s])\/(?![*/\s])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** Returns the identifiers of a file and its prose, both at their original lines. */
function partsOf(text: string): { names: string; prose: string } {
  let prose = ''
  let end = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isPattern = token.startsWith('/') && !/^\/[/*]/.test(token)
    prose += blank(text.slice(end, index)) + (isPattern ? blank(token) : token)
    end = index + token.length
  }
  return { names: text.replace(TOKEN, blank), prose: prose + blank(text.slice(end)) }
}

function offencesIn(path: string, text: string, words: OldWord[]): string[] {
  const lines = text.split('\n')
  return words.flatMap(({ old, better, allowed }) =>
    lines.flatMap((line, index) => {
      const [found] = allowed?.test(`${path}: ${line.trim()}`) ? [] : (old.exec(line) ?? [])
      return found === undefined ? [] : [`${path}:${index + 1}: "${found}" → ${better}`]
    }),
  )
}

const ownPath = 'tests/words.test.ts'
const sources = readSources('src', 'sandbox', 'dashboard/src', 'tests', 'tools', 'bench').filter(
  ({ path }) => path !== ownPath,
)
const documents = [
  ...readdirSync(new URL('../', import.meta.url)),
  ...['docs', 'bench', 'templates', 'migrations'].flatMap(pathsBelow),
].filter((path) => /\.(md|typ)$/.test(path) && !path.startsWith('docs/reference/')) // generated from checked texts

describe('the terms of the field', () => {
  it('are used in every identifier', () => {
    assert(sources.length > 400)
    const offences = sources.flatMap(({ path, text }) => offencesIn(path, partsOf(text).names, NAMES))
    assert.deepEqual(offences, [])
  })

  it('are used in comments, public texts and titles of tests', () => {
    const offences = sources.flatMap(({ path, text }) => offencesIn(path, partsOf(text).prose, PROSE))
    assert.deepEqual(offences, [])
  })

  it('are used in documents and templates', () => {
    assert(documents.length > 25)
    assert.deepEqual(
      documents.flatMap((path) => offencesIn(path, readText(path), PROSE)),
      [],
    )
  })

  it('are suggested by file and line for a replaced word', () => {
    const { names, prose } = partsOf(
      "/** The answer\n * is told. */\nconst move = /answer/ // 'a'\nsay(`no refusal`)\n",
    )
    assert.deepEqual(offencesIn('a.ts', names, NAMES), ['a.ts:3: "move" → transition'])
    assert.deepEqual(offencesIn('a.ts', prose, PROSE), [
      'a.ts:1: "answer" → response, respond, return',
      'a.ts:2: "told" → report, emit, return, state',
      'a.ts:4: "refusal" → error, rejection',
    ])
  })
})
