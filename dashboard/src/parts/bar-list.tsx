import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { countText } from './texts.ts'

export type Bar = {
  key: string
  label: ReactNode
  count: number
  /** The list of what is counted. */
  to: string
  search: Readonly<Record<string, string>>
}

const HEIGHT = 8

/** Counts as bars below each other, each number a link to its list. */
export function BarList({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <table className="bars" aria-label={label}>
      <tbody>
        {bars.map(({ key, label: name, count, to, search }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td className="bar">
              <svg width="100%" height={HEIGHT} aria-hidden="true">
                <rect width={`${(count / most) * 100}%`} height={HEIGHT} rx={2} />
              </svg>
            </td>
            <td data-number>
              <Anchor component={Link} to={to} search={search as never}>
                {countText(count)}
              </Anchor>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
