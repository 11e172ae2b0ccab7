/** The search of the address as it stands there: no JSON, so that a person can read and write it. */
export type UrlState = Readonly<Record<string, string | readonly string[] | undefined>>

/** A change of a filter begins at the first page, where nothing is current. */
export const FROM_START = { after: undefined, row: undefined } satisfies UrlState

export function parseUrlState(search: string): Record<string, string | string[]> {
  const state: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    const before = state[name]
    state[name] = before === undefined ? value : [before, value].flat()
  }
  return state
}

export function urlStateText(state: UrlState): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(state))
    for (const one of [value].flat()) if (one !== undefined && one !== '') search.append(name, one)
  return search.size === 0 ? '' : `?${search}`
}

/** The values of one name that are known. */
export const knownIn = <Known extends string>(value: UrlState[string], known: readonly Known[]): Known[] => {
  const given = [value].flat()
  return known.filter((one) => given.includes(one))
}

export const textIn = (value: UrlState[string]): string | undefined => (typeof value === 'string' ? value : undefined)

/** What a link needs for an address of this page, `/users/012345678901?tab=wallet`. */
export function linkOf(address: string): { to: string; search: never } {
  const [to = '', search = ''] = address.split('?')
  return { to, search: parseUrlState(search) as never }
}
