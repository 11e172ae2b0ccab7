import { PreconditionFailedError, type User } from '@banyan/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { profileQuery, updateProfile } from '../../api/people.ts'
import { Conflict } from '../../parts/conflict.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { changesOf, patchOf, profileFields, type Values, valuesOf } from './profile-form.ts'

type EditSettings = { user: User; purpose: string; close: () => void }

/**
 * Changes a profile. If somebody else has changed it meanwhile, that is shown, and one chooses: begin again from what
 * stands there, or send one’s own changes on top of it. Nothing is overwritten unseen.
 */
export function EditProfile({ user, purpose, close }: EditSettings) {
  const { user_id: id } = user
  const queries = useQueryClient()
  /** The form began with `from`; `seen` is the version that the next attempt builds on. */
  const [{ from, seen }, setBase] = useState({ from: user, seen: user })
  const [theirs, setTheirs] = useState<User>()
  const before = valuesOf(from)

  const send = async (values: Values, signal: AbortSignal) => {
    const patch = patchOf(before, values)
    if (Object.keys(patch).length === 0) return close()
    try {
      const changed = await updateProfile(id, patch, { seen, purpose, signal })
      queries.setQueryData(profileQuery(id, purpose).queryKey, changed)
      notify('The profile is changed.')
      close()
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error
      setTheirs(await banyan.user(id).read({ purpose }))
    }
  }

  return (
    <ProblemForm
      key={from === user ? 'first' : from.last_modified_at.getTime()}
      fields={profileFields(from)}
      initial={before}
      submit="Save"
      columns={2}
      send={send}
      cancel={close}
    >
      {theirs && (
        <Conflict
          changes={changesOf(seen, theirs)}
          keepMine={() => {
            setBase({ from, seen: theirs })
            setTheirs(undefined)
          }}
          takeTheirs={() => {
            queries.setQueryData(profileQuery(id, purpose).queryKey, theirs)
            setBase({ from: theirs, seen: theirs })
            setTheirs(undefined)
          }}
        />
      )}
    </ProblemForm>
  )
}
