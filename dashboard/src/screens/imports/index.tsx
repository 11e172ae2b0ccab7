import { importId } from '@banyan/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type ChosenFile, type ImportKind, importQuery, isAtWork, sendFile } from '../../api/imports.ts'
import { Loaded } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { FROM_START, knownIn, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { useSending } from '../../parts/use-sending.ts'
import { Choose } from './choose.tsx'
import './imports.css'
import { KIND_NAMES } from './kinds.ts'
import { readFile } from './read-file.ts'
import { ShownImport } from './shown-import.tsx'

/** What was sent last: the file stays in memory, so that what is imported is what was checked. */
type Sent = { id: string; file: ChosenFile; isKnown: boolean }
type Of = { kind: ImportKind; platform: string | undefined }

const REPORT_FROM_START = { ...FROM_START, list: undefined, column: undefined, code: undefined }

/** Imports a list in one file: check, look, import, report. The address names the import, so a reload goes on showing it. */
export function Screen() {
  const [url, setUrl] = useUrlState()
  const queries = useQueryClient()
  const sending = useSending()
  const [chosen, setChosen] = useState<ChosenFile>()
  const [sent, setSent] = useState<Sent>()
  const id = textIn(url['import'])
  const kind = knownIn(url['kind'], KIND_NAMES)[0] ?? 'users'
  const platform = textIn(url['platform']) || undefined

  const choose = (file: File) =>
    void readFile(file).then(
      (read) => {
        setChosen(read)
        sending.setError(null)
      },
      (error: Error) => {
        setChosen(undefined)
        sending.setError(error)
      },
    )
  const send = async (file: ChosenFile, of: Of & { isCheck: boolean; signal: AbortSignal }) => {
    const one = await sendFile(file, of)
    queries.setQueryData(importQuery(one.id).queryKey, one)
    setSent({ id: one.id, file, isKnown: !isAtWork(one) })
    setUrl({ import: one.id, kind: of.kind, platform: of.platform, ...REPORT_FROM_START })
  }
  const chooseAnother = () => {
    setChosen(undefined)
    sending.setError(null)
    setUrl({ import: undefined, ...REPORT_FROM_START })
  }

  return (
    <Page title="Imports">
      {id === undefined ? (
        <Choose
          kind={kind}
          platform={platform}
          chosen={chosen}
          sending={sending}
          set={(change) => setUrl(change, { replaces: true })}
          choose={choose}
          check={(owner) =>
            chosen && sending.start((signal) => send(chosen, { kind, platform: owner, isCheck: true, signal }))
          }
        />
      ) : (
        <Followed
          key={id}
          id={id}
          sent={sent?.id === id ? sent : undefined}
          send={send}
          chooseAnother={chooseAnother}
        />
      )}
    </Page>
  )
}

type FollowedSettings = {
  id: string
  sent: Sent | undefined
  send: (file: ChosenFile, of: Of & { isCheck: boolean; signal: AbortSignal }) => Promise<void>
  chooseAnother: () => void
}

function Followed({ id, sent, send, chooseAnother }: FollowedSettings) {
  const queries = useQueryClient()
  const query = useQuery(importQuery(importId(id)))
  const hasEnded = query.data !== undefined && !isAtWork(query.data) && !query.data.check_only
  useEffect(() => {
    // What was written is in every list.
    if (hasEnded)
      void queries.invalidateQueries({
        predicate: ({ queryKey: [first] }) => first !== 'import' && first !== 'session',
      })
  }, [hasEnded, queries])
  return (
    <Loaded query={query}>
      {(one) => (
        <ShownImport
          one={one}
          file={sent?.file.name}
          isKnown={sent?.isKnown === true && !one.check_only}
          chooseAnother={chooseAnother}
          importAll={async (signal) => {
            if (!sent) return
            const [kind] = knownIn(one.kind, KIND_NAMES)
            if (kind) await send(sent.file, { kind, platform: one.platform_id, isCheck: false, signal })
          }}
        />
      )}
    </Loaded>
  )
}
