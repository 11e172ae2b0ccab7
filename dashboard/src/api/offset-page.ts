const LIMIT = 50

type ByOffset<Row> = { data: readonly Row[]; offset: number; total: number }

/** Reads a page of a list that the service pages by offset. `after`, from the address: the offset, as text. */
export async function offsetPage<Row>(
  after: string | undefined,
  read: (page: { offset: number; limit: number }) => Promise<ByOffset<Row>>,
): Promise<{ data: readonly Row[]; next: string | null }> {
  const asked = Number(after ?? 0)
  const { data, offset, total } = await read({ offset: Number.isInteger(asked) ? asked : 0, limit: LIMIT })
  const end = offset + data.length
  return { data, next: data.length > 0 && end < total ? String(end) : null }
}
