export const GENERATED = '<!-- Made by `npm run generate`; edit what it is made from. -->'

/** Returns a table; pipes and line ends in a cell would break it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

export const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

/** Returns a page of these parts, with a line between two of them. */
export const page = (title: string, ...parts: readonly string[]): string =>
  `${[`# ${title}`, GENERATED, ...parts.filter((part) => part !== '')].join('\n\n')}\n`

/** Returns the anchor that a heading gets, here and on a code host. */
export { slug as anchorOf } from 'github-slugger'
