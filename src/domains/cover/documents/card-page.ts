import { type Day, longDay } from '../../../kernel/date.ts'
import { contentPolicy, inlineStyle } from '../../../kernel/http/content-policy.ts'
import { escapeHtml } from '../../../kernel/http/pages.ts'
import type { CardCheck } from './check-card.ts'

type Result = { word: string; hindi: string; icon: string; day: string; help: string }

/** Each result has a word, a colour (its class in the style) and an icon, so that colour is never the only signal. */
const RESULTS: Record<CardCheck['result'], Result> = {
  valid: {
    word: 'Valid',
    hindi: 'मान्य',
    icon: 'm7.5 12.5 3 3 6-7',
    day: 'Valid until',
    help: 'Compare the initials and the number with the card. For approval of treatment, ask the insurer.',
  },
  in_grace: {
    word: 'In grace period',
    hindi: 'अनुग्रह अवधि में',
    icon: 'M12 7v6m0 3.5v.01',
    day: 'Renewable until',
    help: 'A renewal or premium is due. For approval of treatment, ask the insurer.',
  },
  not_started: {
    word: 'Not started',
    hindi: 'अभी शुरू नहीं',
    icon: 'M8 3.5v3m8-3v3M5 9.5h14M6 5.5h12v13H6z',
    day: 'Covered from',
    help: 'The card is genuine, but its cover has not begun yet. Ask the member for a card that is valid today, or ask the insurer.',
  },
  expired: {
    word: 'Expired',
    hindi: 'समाप्त',
    icon: 'M12 7v5l3.5 2',
    day: '',
    help: 'The cover has ended. The member may have a newer card.',
  },
  not_valid: {
    word: 'Not valid',
    hindi: 'अमान्य',
    icon: 'm8.5 8.5 7 7m0-7-7 7',
    day: '',
    help: 'This code is not recognised. Ask the member for the current card or certificate, or call the insurer that is printed on it.',
  },
}

/** White text on each of the five colours has a contrast of at least 6:1. The border is for forced colours. */
const STYLE = `
:root { color-scheme: light dark; --page: #eef0f3; --card: #fff; --text: #16191d; --label: #575e68; --line: #d9dce1 }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d0f12; --card: #1b1f25; --text: #f1f3f5; --label: #a7aeb8; --line: #39404a } }
* { box-sizing: border-box; margin: 0 }
body { min-height: 100vh; min-height: 100svh; padding: 1rem; display: grid; place-items: center;
  background: var(--page); color: var(--text); font: 1.125rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; overflow: hidden; border: 1px solid transparent; border-radius: 1.25rem;
  background: var(--card) padding-box; box-shadow: 0 .5rem 2rem #0003 }
header { padding: 2rem 1.5rem; text-align: center; color: #fff }
svg { width: 5rem; height: 5rem; fill: none; stroke: currentColor; stroke-width: 1.5;
  stroke-linecap: round; stroke-linejoin: round }
h1 { margin-top: .5rem; font-size: 2rem; line-height: 1.2 }
header p { font-size: 1.25rem }
.valid header { background: #0a6e3c }
.in_grace header { background: #8f5400 }
.not_started header { background: #1d4e89 }
.expired header { background: #a8201a }
.not_valid header { background: #3a414c }
dl { padding: .5rem 1.5rem 1rem }
div { padding: .625rem 0 }
div + div { border-top: 1px solid var(--line) }
dt { color: var(--label); font-size: 1rem }
dd { font-size: 1.25rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere }
footer { padding: 1rem 1.5rem 1.5rem; color: var(--label); font-size: 1rem; border-top: 1px solid var(--line) }
`

/** The page loads nothing else, and the browser enforces it. */
export const CARD_PAGE_POLICY = contentPolicy({ 'style-src': inlineStyle(STYLE), 'img-src': 'data:' })

const NEWER_CARD = 'The details on this card have changed: ask the member for the newer card.'

/** Returns the HTML page of a card check. For a card that is not valid it shows only that, and what to do. */
export function cardPage(check: CardCheck): string {
  const { word, hindi, icon, help } = RESULTS[check.result]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${check.result === 'not_valid' ? word : `${word} – health card`}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body class="${check.result}">
<main>
<header>
<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="${icon}"/></svg>
<h1>${word}</h1>
<p lang="hi">${hindi}</p>
</header>
${detailsHtml(check)}<footer>${check.result !== 'not_valid' && check.newer_card ? `${NEWER_CARD} ` : ''}${help}</footer>
</main>
</body>
</html>
`
}

function detailsHtml(check: CardCheck): string {
  if (check.result === 'not_valid') return ''
  const day = check.valid_from ?? check.valid_until
  const details = [
    ...(day === undefined ? [] : [[RESULTS[check.result].day, timeHtml(day)]]),
    ...('covered' in check && check.covered !== undefined
      ? [['Covered today', check.covered ? 'Yes' : 'No, until it is renewed or paid']]
      : []),
    ['Member', `<bdi>${escapeHtml(check.member_initials)}</bdi>`],
    ['Policy number ends in', escapeHtml(check.policy_number_last4)],
    ['Insurer', `<bdi>${escapeHtml(check.issuer)}</bdi>`],
    ['Checked on', `${timeHtml(check.checked_on)}, ${clockInIndia(check.checked_at)} in India`],
  ]
  return `<dl>
${details.map(([label, value]) => `<div><dt>${label}</dt><dd>${value}</dd></div>`).join('\n')}
</dl>
`
}

const timeHtml = (day: Day) => `<time datetime="${escapeHtml(day)}">${longDay(day)}</time>`

const INDIA_MINUTES = 330

const clockInIndia = (utc: string) =>
  new Date(Date.parse(`${utc}Z`) + INDIA_MINUTES * 60_000).toISOString().slice('YYYY-MM-DDT'.length, -':ss.mmmZ'.length)
