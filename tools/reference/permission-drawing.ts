import type { Located } from './openapi-parts.ts'

type Grant = 'own' | 'yes'
type Kind = 'read' | 'write'
type Row = { name: string; operations: readonly Located[] }

/** Narrow enough for a phone, where a drawing is as wide as the page. */
const LABEL_WIDTH = 178
const COLUMN = 26
const ROW = 24
const HEAD = 122
/** Half the width of a mark. */
const MARK = 4
const KEY = 70

const STYLE = `text{font:12px system-ui,sans-serif;fill:#1c2126}.row{fill:#f4f6f8}.mark{stroke-width:1.4}.read{stroke:#0a6b50}.write{stroke:#8a5a00}
.read.yes{fill:#0a6b50}.write.yes{fill:#8a5a00}.own{fill:none}
@media (prefers-color-scheme:dark){text{fill:#e4e8ec}.row{fill:#1c2228}.read{stroke:#6fd6b2}.write{stroke:#e0b15e}
.read.yes{fill:#6fd6b2}.write.yes{fill:#e0b15e}.own{fill:none}}`

/**
 * Draws who may do something in each group of operations, as SVG: a circle where a caller may read, a square where it may write, filled
 * where it reaches every record in one of the operations at least.
 */
export function permissionDrawing(callers: Readonly<Record<string, string>>, rows: readonly Row[]): string {
  const kinds = Object.keys(callers)
  const width = LABEL_WIDTH + kinds.length * COLUMN
  const height = HEAD + rows.length * ROW + KEY
  const heads = Object.values(callers).map((name, column) => {
    const at = `${columnAt(column) + 4} ${HEAD - 8}`
    return `<text transform="translate(${at}) rotate(-90)">${name}</text>`
  })
  const lines = rows.map(({ name, operations }, row) => {
    const top = HEAD + row * ROW
    const band = row % 2 === 0 ? `<rect class="row" x="0" y="${top}" width="${width}" height="${ROW}"/>` : ''
    const marks = kinds.map((kind, column) => marksOf(operations, kind, { x: columnAt(column), y: top + ROW / 2 }))
    return `${band}<text x="4" y="${top + 16}">${name}</text>${marks.join('')}`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Permissions: who may read and write in each group of operations</title><style>${STYLE}</style>
${heads.join('\n')}
${lines.join('\n')}
${keyOf(HEAD + rows.length * ROW + 22)}
</svg>
`
}

const columnAt = (column: number) => LABEL_WIDTH + column * COLUMN + COLUMN / 2

type Place = { x: number; y: number }

function marksOf(operations: readonly Located[], caller: string, { x, y }: Place): string {
  const read = widest(operations, caller, 'read')
  const write = widest(operations, caller, 'write')
  return [read && circle(read, { x: x - MARK - 1, y }), write && square(write, { x: x + MARK + 1, y })].join('')
}

/** A search is a read, although what is searched for is in the body. */
const kindOf = ({ method, path }: Located): Kind => (method === 'GET' || path.endsWith('/search') ? 'read' : 'write')

function widest(operations: readonly Located[], caller: string, kind: Kind): Grant | undefined {
  const grants = operations.filter((one) => kindOf(one) === kind).map(({ operation }) => operation['x-callers'][caller])
  return grants.includes('yes') ? 'yes' : grants.includes('own') ? 'own' : undefined
}

const circle = (grant: Grant, { x, y }: Place) => `<circle class="mark read ${grant}" cx="${x}" cy="${y}" r="${MARK}"/>`
const square = (grant: Grant, { x, y }: Place) =>
  `<rect class="mark write ${grant}" x="${x - MARK}" y="${y - MARK}" width="${2 * MARK}" height="${2 * MARK}"/>`

const keyOf = (y: number) =>
  [
    ['reads every record', 'reads its own', circle],
    ['writes every record', 'writes its own', square],
  ]
    .map(([every, own, mark], line) => {
      const at = y + line * 22
      const draw = mark as typeof circle
      return `${draw('yes', { x: 12, y: at - 4 })}<text x="26" y="${at}">${every as string}</text>
${draw('own', { x: 172, y: at - 4 })}<text x="186" y="${at}">${own as string}</text>`
    })
    .join('\n')
