import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Term } from './search-form.tsx'

type Page<Row> = { data: readonly Row[] }

/** What was found last, by the kind of search, so that going back shows it again. In memory only. */
const found = new Map<string, readonly unknown[]>()

/** A search whose result is kept while the page is open; the term is not. */
export function useSearch<Row>(kind: string, send: (term: Term) => PromiseLike<Page<Row>>) {
  const [rows, setRows] = useState(found.get(kind) as readonly Row[] | undefined)
  const search = useMutation({
    mutationFn: async (term: Term) => (await send(term)).data,
    onSuccess: (data) => {
      found.set(kind, data)
      setRows(data)
    },
  })
  const query = {
    data: rows && { data: rows, next: null },
    error: null,
    fetchStatus: 'idle' as const,
    refetch: () => undefined,
  }
  return { query, error: search.error, isSearching: search.isPending, search: search.mutate }
}
