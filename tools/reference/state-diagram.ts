import type { Transition } from '../../src/record/index.ts'

const BOX = { width: 320, height: 34, gap: 22 }
const ARC = { step: 15, least: 26 }
const MARGIN = 12
const RADIUS = 10
const KEY_HEIGHT = 34

const STYLE = `text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#1c2126}.key{font:13px system-ui,sans-serif}
rect{fill:#f4f6f8;stroke:#8a949e}path{fill:none;stroke-width:1.6}.people{stroke:#0a6b50}.program{stroke:#8a5a00;stroke-dasharray:5 3}
.people.head{fill:#0a6b50;stroke:none}.program.head{fill:#8a5a00;stroke:none}
@media (prefers-color-scheme:dark){text{fill:#e4e8ec}rect{fill:#1c2228;stroke:#6b7680}.people{stroke:#6fd6b2}.program{stroke:#e0b15e}
.people.head{fill:#6fd6b2}.program.head{fill:#e0b15e}}`

type Arc = { from: number; to: number; isProgram: boolean; lane: number }

/**
 * Draws a state table as SVG: the states in a column, transitions onwards on the right, those back on the left. A dashed
 * line is one that only the program makes.
 */
export function stateDiagram(title: string, states: readonly string[], transitions: readonly Transition[]): string {
  const arcs = transitions.map(({ from, to, who }) => ({
    from: states.indexOf(from),
    to: states.indexOf(to),
    isProgram: who.includes('system') && who.every((caller) => ['system', 'owner', 'operator'].includes(caller)),
  }))
  const onward = inLanes(arcs.filter(({ from, to }) => to > from))
  const back = inLanes(arcs.filter(({ from, to }) => to < from))
  const left = MARGIN + reachOf(back)
  const width = left + BOX.width + reachOf(onward) + MARGIN
  const height = states.length * (BOX.height + BOX.gap) + KEY_HEIGHT
  const boxes = states.map((state, row) => {
    const top = topOf(row)
    return `<rect x="${left}" y="${top}" width="${BOX.width}" height="${BOX.height}" rx="6"/><text x="${left + BOX.width / 2}" y="${top + 22}" text-anchor="middle">${state}</text>`
  })
  const ports = portsOf([...onward, ...back], states.length)
  const lines = [
    ...onward.map((arc) => arcOf(arc, { edge: left + BOX.width, side: 1, ports })),
    ...back.map((arc) => arcOf(arc, { edge: left, side: -1, ports })),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}: states and transitions</title><style>${STYLE}</style>
${boxes.join('\n')}
${lines.join('\n')}
${keyOf(height - 14)}
</svg>
`
}

const topOf = (row: number) => MARGIN + row * (BOX.height + BOX.gap)
const reachOf = (arcs: readonly Arc[]) =>
  arcs.length === 0 ? 0 : ARC.least + Math.max(...arcs.map(({ lane }) => lane)) * ARC.step + RADIUS

/** Gives each arc the innermost lane in which it crosses no other of that lane; short ones first. */
function inLanes(arcs: readonly Omit<Arc, 'lane'>[]): Arc[] {
  const placed: Arc[] = []
  const length = ({ from, to }: Omit<Arc, 'lane'>) => Math.abs(from - to)
  for (const arc of arcs.toSorted((one, other) => length(one) - length(other))) {
    const isFree = (lane: number) => placed.every((other) => other.lane !== lane || isApart(other, arc))
    let lane = 0
    while (!isFree(lane)) lane++
    placed.push({ ...arc, lane })
  }
  return placed
}

const isApart = (one: Omit<Arc, 'lane'>, other: Omit<Arc, 'lane'>) =>
  Math.max(one.from, one.to) < Math.min(other.from, other.to) ||
  Math.max(other.from, other.to) < Math.min(one.from, one.to)

type Ports = (arc: Arc, row: number) => number

/** Returns where an arc meets a box: those of one side are spread over its height. */
function portsOf(arcs: readonly Arc[], rows: number): Ports {
  const places = new Map<string, number>()
  for (const side of [true, false]) {
    for (let row = 0; row < rows; row++) {
      const here = arcs
        .filter(({ from, to }) => from < to === side && (from === row || to === row))
        .toSorted((one, other) => otherEnd(one, row) - otherEnd(other, row) || other.lane - one.lane)
      for (const [index, arc] of here.entries())
        places.set(keyFor(arc, row), topOf(row) + ((index + 1) * BOX.height) / (here.length + 1))
    }
  }
  return (arc, row) => places.get(keyFor(arc, row)) ?? topOf(row)
}

const otherEnd = ({ from, to }: Arc, row: number) => (from === row ? to : from)
const keyFor = ({ from, to }: Arc, row: number) => `${from}-${to}@${row}`

function arcOf(arc: Arc, { edge, side, ports }: { edge: number; side: 1 | -1; ports: Ports }): string {
  const begin = ports(arc, arc.from)
  const end = ports(arc, arc.to)
  const out = edge + side * (ARC.least + arc.lane * ARC.step)
  const down = Math.sign(end - begin)
  const turn = out - side * RADIUS
  const kind = arc.isProgram ? 'program' : 'people'
  const line = `M${edge} ${begin}H${turn}Q${out} ${begin} ${out} ${begin + down * RADIUS}V${end - down * RADIUS}Q${out} ${end} ${turn} ${end}H${edge + side * 7}`
  const head = `M${edge + side} ${end}l${side * 8} -4v8z`
  return `<path class="${kind}" d="${line}"/><path class="${kind} head" d="${head}"/>`
}

const keyOf = (y: number) =>
  `<path class="people" d="M12 ${y - 4}h26"/><text class="key" x="46" y="${y}">by people</text>
<path class="program" d="M136 ${y - 4}h26"/><text class="key" x="170" y="${y}">by the program</text>`
