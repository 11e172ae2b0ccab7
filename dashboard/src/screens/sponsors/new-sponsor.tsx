import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { namesIn, namesQuery } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { places } from '../../parts/places.ts'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { NEW_SPONSOR, platformField, SPONSOR_FIELDS, sponsorFrom, type Values } from '../../parts/record-fields.ts'

/** Creates a sponsor; an administrator says whose. */
export function NewSponsor() {
  const { role } = useSession()
  const { data: names } = useQuery(namesQuery(role))
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const close = () => setOpen(false)
  const create = async (values: Values, signal: AbortSignal) => {
    const { id } = await banyan.sponsors.create(sponsorFrom(values), { signal })
    await queries.invalidateQueries({ queryKey: ['sponsors'] })
    await navigate({ to: places.sponsor(id) })
  }
  const owner = role === 'platform' ? [] : [platformField(namesIn(names, 'plt'))]
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        New sponsor
      </Button>
      <Dialog opened={isOpen} close={close} title="New sponsor" size="lg">
        <ProblemForm
          fields={[...owner, ...SPONSOR_FIELDS]}
          initial={NEW_SPONSOR}
          columns={2}
          submit="Create"
          send={create}
          cancel={close}
        />
      </Dialog>
    </>
  )
}
