/** A panel of the figure: one or two lines over time. */
export type Panel = { title: string; lines: { name: string; values: number[] }[] }

const WIDTH = 400
const HEIGHT = 150
const GAP = 40
const COLUMNS = 2
const COLOURS = ['#1b6ca8', '#c0562f']

/** Draws panels in two columns, all with the same seconds along the bottom. */
export function drawFigure(seconds: number[], panels: Panel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS)
  const width = COLUMNS * (WIDTH + GAP) + GAP
  const height = rows * (HEIGHT + 2 * GAP) + GAP
  const drawn = panels.map((panel, position) => {
    const x = GAP + (position % COLUMNS) * (WIDTH + GAP)
    const y = GAP + Math.floor(position / COLUMNS) * (HEIGHT + 2 * GAP)
    return `<g transform="translate(${x} ${y})">\n${drawPanel(seconds, panel)}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="white"/>
${drawn.join('\n')}
</svg>
`
}

function drawPanel(seconds: number[], { title, lines }: Panel): string {
  const most = Math.max(...lines.flatMap(({ values }) => values), Number.MIN_VALUE)
  const end = seconds.at(-1) ?? 1
  const points = (values: number[]) =>
    values
      .map((value, position) => {
        const x = ((seconds[position] ?? 0) / end) * WIDTH
        return `${x.toFixed(1)},${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`
      })
      .join(' ')
  const drawn = lines.flatMap(({ name, values }, position) => [
    `<polyline points="${points(values)}" fill="none" stroke="${COLOURS[position]}"/>`,
    `<text x="${WIDTH}" y="${-8 - 14 * position}" text-anchor="end" fill="${COLOURS[position]}">${name}</text>`,
  ])
  return [
    `<text y="-8" font-weight="bold">${title}</text>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="none" stroke="#bbb"/>`,
    `<text x="3" y="12" fill="#666">${label(most)}</text>`,
    `<text x="3" y="${HEIGHT - 4}" fill="#666">0</text>`,
    `<text x="${WIDTH}" y="${HEIGHT + 14}" text-anchor="end" fill="#666">${(end / 60).toFixed(1)} min</text>`,
    ...drawn,
  ].join('\n')
}

const label = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 })
