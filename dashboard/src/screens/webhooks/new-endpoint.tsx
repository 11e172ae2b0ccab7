import { Button, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Field, ProblemForm, typed } from '../../parts/problem-form.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { useUrlState } from '../../parts/url-state.ts'

const FIELDS: readonly Field[] = [
  { pointer: '/url', label: 'Address', hint: 'https, on the public internet', isRequired: true },
  {
    pointer: '/event_types',
    label: 'Events',
    hint: 'Types, groups such as policy.*, or * for all, separated by commas',
    isRequired: true,
  },
  { pointer: '/description', label: 'Description' },
]

/** Creates an endpoint, and shows its secret once. */
export function NewEndpoint() {
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [, setState] = useUrlState()
  const queries = useQueryClient()
  const close = () => {
    setOpen(false)
    setSecret(undefined)
  }
  const create = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const body = {
      url: values['/url']?.trim() ?? '',
      event_types: typed(values, '/event_types')?.split(/[\s,]+/) ?? [],
      description: typed(values, '/description') ?? null,
    }
    const { id, secret: once } = await banyan.webhookEndpoints.create(body, { signal })
    setSecret(once)
    setState({ endpoint: id })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        New endpoint
      </Button>
      <Dialog opened={isOpen} close={close} title="New endpoint">
        <Stack gap="sm">
          {secret === undefined ? (
            <ProblemForm
              fields={FIELDS}
              initial={{ '/event_types': '*' }}
              submit="Create"
              send={create}
              cancel={close}
            />
          ) : (
            <SecretOnce name="The secret that signs deliveries" secret={secret} close={close} />
          )}
        </Stack>
      </Dialog>
    </>
  )
}
