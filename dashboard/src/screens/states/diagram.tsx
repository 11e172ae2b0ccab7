import type { StateMachine } from '@banyan/client'
import { stateText } from '../../parts/state-badge.tsx'
import { layout, type Place } from './layout.ts'

const BOX = { width: 132, height: 34 }
const STEP = { x: 212, y: 78 }
const MARGIN = 40

type Point = { x: number; y: number }
type Spot = Place & Point

/** The states as boxes, the transitions as arrows: dashed where the calendar makes them. */
export function Diagram({ machine }: { machine: StateMachine }) {
  const edges = pairsOf(machine)
  const spots = layout(machine.states, machine.initial, edges).map((place) => ({
    ...place,
    x: MARGIN + place.column * STEP.x,
    y: MARGIN + place.row * STEP.y,
  }))
  const width = Math.max(...spots.map(({ x }) => x)) + BOX.width + MARGIN
  const height = Math.max(...spots.map(({ y }) => y)) + BOX.height + MARGIN
  const spotOf = (state: string) => spots.find((spot) => spot.state === state)
  return (
    <div className="diagram" tabIndex={0} role="group" aria-label="Diagram">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={`States of ${machine.name}`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {edges.map(({ from, to, isByCalendar }) => {
          const [one, other] = [spotOf(from), spotOf(to)]
          if (!one || !other) return null
          return (
            <path
              key={`${from} ${to}`}
              className="edge"
              d={pathBetween(one, other)}
              data-calendar={isByCalendar || undefined}
              markerEnd="url(#arrow)"
            />
          )
        })}
        {spots.map(({ state, x, y }) => (
          <g key={state} data-initial={state === machine.initial || undefined} className="node">
            <rect x={x} y={y} width={BOX.width} height={BOX.height} rx={6} />
            <text x={x + BOX.width / 2} y={y + BOX.height / 2}>
              {stateText(state)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}

/** Each pair of states once, though several rows of the table may have it. */
function pairsOf({ transitions }: StateMachine) {
  const pairs = new Map<string, { from: string; to: string; isByCalendar: boolean }>()
  for (const { from, to, by_calendar } of transitions) {
    const key = `${from} ${to}`
    pairs.set(key, { from, to, isByCalendar: by_calendar || pairs.get(key)?.isByCalendar === true })
  }
  return [...pairs.values()]
}

/** From side to side; back by an arc below the boxes, so that it crosses none in its own row. */
function pathBetween(from: Spot, to: Spot): string {
  const middle = BOX.height / 2
  if (to.column > from.column) {
    const [start, end] = [
      { x: from.x + BOX.width, y: from.y + middle },
      { x: to.x, y: to.y + middle },
    ]
    const bend = (end.x - start.x) / 2
    return `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`
  }
  if (to.column === from.column) {
    const down = to.row > from.row
    const x = from.x + BOX.width * (down ? 0.35 : 0.65)
    const [start, end] = down ? [from.y + BOX.height, to.y] : [from.y, to.y + BOX.height]
    const bend = Math.abs(to.row - from.row) > 1 ? (down ? -BOX.width * 0.7 : BOX.width * 0.7) : 0
    return `M${x} ${start}C${x + bend} ${start + (down ? 20 : -20)} ${x + bend} ${end + (down ? -20 : 20)} ${x} ${end}`
  }
  const [start, end] = [
    { x: from.x + BOX.width * 0.3, y: from.y + BOX.height },
    { x: to.x + BOX.width * 0.7, y: to.y + BOX.height },
  ]
  const depth = Math.max(start.y, end.y) + STEP.y / 2 + 8 * (from.column - to.column)
  return `M${start.x} ${start.y}C${start.x} ${depth} ${end.x} ${depth} ${end.x} ${end.y}`
}
