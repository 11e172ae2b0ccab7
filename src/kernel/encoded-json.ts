/**
 * The JSON text of a `T` in pieces, as bytes. A long document is encoded a page at a time: as a whole it would keep
 * other requests waiting, and take ten times the memory as objects.
 */
export class EncodedJson<T> {
  readonly parts: readonly Buffer[]
  declare readonly content?: T // only a type

  constructor(parts: readonly Buffer[]) {
    this.parts = parts
  }

  get byteLength(): number {
    return this.parts.reduce((sum, part) => sum + part.length, 0)
  }
}

/** The members of an object, each of which may be encoded already. */
type Members<T> = { [Name in keyof T]: T[Name] | EncodedJson<T[Name]> }

export function encodeObject<T extends object>(members: Members<T>): EncodedJson<T> {
  const inner = Object.entries(members).map(([name, value]) => [
    bytes(`${JSON.stringify(name)}:`),
    ...encodedParts(value),
  ])
  return enclosed('{', inner, '}')
}

/** Encodes a list, a page at a time; its items may be encoded already. */
export async function encodePages<T>(
  pages: AsyncIterable<readonly T[]> | AsyncIterable<readonly EncodedJson<T>[]>,
): Promise<EncodedJson<T[]>> {
  const inner: (readonly Buffer[])[] = []
  for await (const page of pages) {
    const [first] = page
    if (first instanceof EncodedJson) inner.push(...page.map(encodedParts))
    else if (first !== undefined) inner.push([bytes(JSON.stringify(page).slice(1, -1))])
  }
  return enclosed('[', inner, ']')
}

const bytes = (json: string) => Buffer.from(json)

const encodedParts = (value: unknown): readonly Buffer[] =>
  value instanceof EncodedJson ? value.parts : [bytes(JSON.stringify(value))]

const COMMA = bytes(',')

function enclosed<T>(open: string, inner: readonly (readonly Buffer[])[], close: string): EncodedJson<T> {
  const separated = inner.flatMap((parts, index) => (index === 0 ? parts : [COMMA, ...parts]))
  return new EncodedJson([bytes(open), ...separated, bytes(close)])
}
