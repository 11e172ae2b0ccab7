/** Formats lines of cells under a header, in columns. */
export function table(head: string[], lines: string[][]): string {
  const all = [head, ...lines]
  const widths = head.map((_, column) => Math.max(...all.map((line) => (line[column] as string).length)))
  const print = (line: string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd()
  return [print(head), widths.map((width) => '-'.repeat(width)).join('  '), ...lines.map(print)].join('\n')
}

/** Formats the median and, in brackets, the minimum and the maximum. */
export function spread(values: number[], digits: number): string {
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map((value) =>
    value.toFixed(digits),
  )
  return `${middle} (${least}–${most})`
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Returns the value not exceeded by this share of the values. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Formats a target, and whether it was met. */
export const target = (words: string, isMet: boolean): string => `target ${words}: ${isMet ? 'met' : 'MISSED'}`
