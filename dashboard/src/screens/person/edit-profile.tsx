import { PreconditionFailedError, type User } from '@banyan/client'
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { profileQuery, updateProfile } from '../../api/people.ts'
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

  const send = async (values: Values) => {
    const patch = patchOf(before, values)
    if (Object.keys(patch).length === 0) return close()
    try {
      const changed = await updateProfile(id, patch, { seen, purpose })
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

type ConflictSettings = {
  changes: readonly { label: string; value: string }[]
  keepMine: () => void
  takeTheirs: () => void
}

function Conflict({ changes, keepMine, takeTheirs }: ConflictSettings) {
  return (
    <Alert color="yellow" variant="outline" title="Somebody else has changed this meanwhile" role="alert">
      <List size="sm" mb="xs">
        {changes.length === 0 && <List.Item>A field that is not shown here</List.Item>}
        {changes.map(({ label, value }) => (
          <List.Item key={label}>
            {label}: <b dir="auto">{value}</b>
          </List.Item>
        ))}
      </List>
      <Text size="sm" mb="xs">
        Nothing of yours is saved yet. To keep it changes only the fields that you have changed.
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={keepMine}>
          Keep mine, then save
        </Button>
        <Button size="xs" variant="default" onClick={takeTheirs}>
          Begin again with theirs
        </Button>
      </Group>
    </Alert>
  )
}
