import { PreconditionFailedError } from '@banyan/client'
import { useState } from 'react'
import { Conflict } from './conflict.tsx'
import { notify } from './notices.tsx'
import { type Field, ProblemForm } from './problem-form.tsx'
import type { Values } from './record-fields.ts'

type Options<Stored> = { ifMatch: Stored; signal: AbortSignal }

type EditSettings<Stored, Patch> = {
  record: Stored
  fields: readonly Field[]
  textsOf: (record: Stored) => Values
  patchOf: (before: Values, after: Values) => Patch
  update: (patch: Patch, options: Options<Stored>) => Promise<Stored>
  read: () => Promise<Stored>
  /** Called with what is stored now. */
  changed: (record: Stored) => unknown
  close: () => void
}

/** Changes what somebody has changed in a form, and nothing else. If somebody else has changed the record since, one chooses. */
export function EditRecord<Stored extends { last_modified_at: Date }, Patch extends object>(
  settings: EditSettings<Stored, Patch>,
) {
  const { record, fields, textsOf, patchOf, update, read, changed, close } = settings
  /** The form began with `from`; `seen` is the version that the next attempt builds on. */
  const [{ from, seen }, setBase] = useState({ from: record, seen: record })
  const [theirs, setTheirs] = useState<Stored>()
  const before = textsOf(from)
  const send = async (values: Values, signal: AbortSignal) => {
    const patch = patchOf(before, values)
    if (Object.keys(patch).length === 0) return close()
    try {
      changed(await update(patch, { ifMatch: seen, signal }))
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error
      return setTheirs(await read())
    }
    notify('It is changed.')
    close()
  }
  const buildOn = (base: Stored, now: Stored) => {
    setBase({ from: base, seen: now })
    setTheirs(undefined)
  }
  const [old, current] = [textsOf(seen), theirs && textsOf(theirs)]
  return (
    <ProblemForm
      key={from.last_modified_at.getTime()}
      fields={fields}
      initial={before}
      submit="Save"
      columns={2}
      send={send}
      cancel={close}
    >
      {theirs && current && (
        <Conflict
          changes={fields
            .filter(({ pointer }) => old[pointer] !== current[pointer])
            .map(({ pointer, label }) => ({ label, value: current[pointer] || 'removed' }))}
          keepMine={() => buildOn(from, theirs)}
          takeTheirs={() => buildOn(theirs, theirs)}
        />
      )}
    </ProblemForm>
  )
}
