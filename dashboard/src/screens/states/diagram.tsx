import type { StateMachine } from '@banyan/client'
import { stateText } from '../../parts/state-badge.tsx'
import { layout, type Place } from './layout.ts'

const BOX = { width: 122, height: 34 }
const STEP = { x: 170, y: 84 }
const MARGIN = 26
/** The height of an arc that passes over other states, for each column. */
const ARC = 18

/** A curve reaches three quarters of the way to its control points. */
const arcHeight = (distance: number): number => (distance > 0 ? 0.75 * ARC * (distance + 0.5) + 8 : 8)

type Point = { x: number; y: number }
type Spot = Place & Point

/** The states as boxes, the transitions as arrows: dashed where the calendar makes them. */
export function Diagram({ machine }: { machine: StateMachine }) {
  const edges = pairsOf(machine)
  const places = layout(machine.states, machine.initial, edges)
  const columns = Math.max(...places.map(({ column }) => column)) + 1
  const rows = Math.max(...places.map(({ row }) => row)) + 1
  const columnOf = (state: string) => places.find((place) => place.state === state)?.column ?? 0
  const distances = edges.map(({ from, to }) => columnOf(to) - columnOf(from))
  const above = MARGIN + arcHeight(Math.max(...distances))
  const spots = places.map((place) => ({
    ...place,
    x: MARGIN + place.column * STEP.x,
    y: above + place.row * STEP.y,
  }))
  const width = MARGIN * 2 + (columns - 1) * STEP.x + BOX.width
  const height = above + (rows - 1) * STEP.y + BOX.height + arcHeight(-Math.min(...distances))
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

/** To the next column from side to side; further on by an arc above, back by an arc below. */
function pathBetween(from: Spot, to: Spot): string {
  const distance = to.column - from.column
  if (distance === 1) {
    const [start, end] = [from.x + BOX.width, to.x]
    const [y, endY] = [from.y + BOX.height * 0.5, to.y + BOX.height * 0.5]
    const bend = (end - start) / 2
    return `M${start} ${y}C${start + bend} ${y} ${end - bend} ${endY} ${end} ${endY}`
  }
  if (distance === 0) return pathWithin(from, to)
  const isAhead = distance > 0
  const start = { x: from.x + BOX.width * (isAhead ? 0.65 : 0.3), y: isAhead ? from.y : from.y + BOX.height }
  // Below the first row it comes down between the columns and arrives at the side, so that it crosses no box.
  if (isAhead && to.row > 0) {
    const y = from.y - ARC * (distance + 0.5)
    const [x, side] = [to.x - (STEP.x - BOX.width) / 2, to.y + BOX.height / 2]
    return `M${start.x} ${start.y}C${start.x} ${y} ${x} ${y} ${x} ${from.y}V${to.y}Q${x} ${side} ${to.x} ${side}`
  }
  const end = { x: to.x + BOX.width * (isAhead ? 0.35 : 0.7), y: isAhead ? to.y : to.y + BOX.height }
  const outer = isAhead ? Math.min(start.y, end.y) : Math.max(start.y, end.y)
  const y = outer - Math.sign(distance) * ARC * (Math.abs(distance) + 0.5)
  return `M${start.x} ${start.y}C${start.x} ${y} ${end.x} ${y} ${end.x} ${end.y}`
}

/** Between states above each other: straight to the next, by an arc at the side to others. */
function pathWithin(from: Spot, to: Spot): string {
  const isDown = to.row > from.row
  const x = from.x + BOX.width * (isDown ? 0.4 : 0.6)
  if (Math.abs(to.row - from.row) === 1)
    return `M${x} ${isDown ? from.y + BOX.height : from.y}V${isDown ? to.y : to.y + BOX.height}`
  const side = isDown ? from.x : from.x + BOX.width
  const bend = side + (isDown ? -1 : 1) * ARC
  const middle = BOX.height / 2
  return `M${side} ${from.y + middle}C${bend} ${from.y + middle} ${bend} ${to.y + middle} ${side} ${to.y + middle}`
}
