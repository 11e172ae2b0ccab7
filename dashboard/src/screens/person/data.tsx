import type { Erasure, UserId } from '@banyan/client'
import { Button, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelErasure, erasureQuery, exportOf, refreshErasure } from '../../api/people.ts'
import { notify, notifyError } from '../../parts/notices.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Section } from '../../parts/page.tsx'
import { AskPurpose } from '../../parts/ask-purpose.tsx'
import { wordsOf } from '../../parts/state-badge.tsx'
import { Day, Time } from '../../parts/when.tsx'
import { Erase } from './erase.tsx'
import type { Looker } from './sealed.tsx'

/** What a person can ask of those who hold their data: a copy of all, and its end. */
export function Data(looker: Looker) {
  return (
    <>
      <Section title="Export">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">Everything that is stored about the person, as one JSON file.</Text>
          <Export {...looker} />
        </Stack>
      </Section>
      <Section title="Erasure">
        <Erasing id={looker.id} />
      </Section>
    </>
  )
}

/** What would become of each kind of data; then the erasure itself, or its cancellation while the notice period runs. */
function Erasing({ id }: { id: UserId }) {
  const preview = useQuery(erasureQuery(id))
  const [erasure, setErasure] = useState<Erasure>()
  const isDone = erasure !== undefined && erasure.erased_at.getTime() <= Date.now()
  if (isDone)
    return (
      <Stack gap="xs">
        <Text size="sm">
          The person was erased at <Time at={erasure.erased_at} />. Nothing here can be read any more.
        </Text>
        <Fields fields={erasure.fields} />
      </Stack>
    )
  return (
    <Loaded query={preview}>
      {(record) => (
        <Stack gap="sm">
          {record.is_scheduled && <Cancel id={id} at={record.erased_at} />}
          <Fields fields={record.fields} />
          {!record.is_scheduled && <Erase preview={record} done={setErasure} />}
        </Stack>
      )}
    </Loaded>
  )
}

function Export({ id, purpose, give }: Looker) {
  const download = async (why: string) => {
    saveFile(await exportOf(id, why), `person-${id}.json`)
    give(why)
  }
  const again = useMutation({ mutationFn: download, onError: notifyError })
  if (purpose === undefined) return <AskPurpose label="Download" give={download} />
  return (
    <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate(purpose)}>
      Download
    </Button>
  )
}

/** What becomes, or has become, of each kind of data. */
function Fields({ fields }: Pick<Erasure, 'fields'>) {
  return (
    <Table className="list" aria-label="What becomes of each kind of data">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Data</Table.Th>
          <Table.Th>Outcome</Table.Th>
          <Table.Th>Until</Table.Th>
          <Table.Th data-extra>Law</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map(({ field, outcome, until, law }) => (
          <Table.Tr key={field}>
            <Table.Td>{FIELDS[field] ?? wordsOf(field)}</Table.Td>
            <Table.Td>{outcome === 'erased' ? 'Erased' : 'Kept without the person'}</Table.Td>
            <Table.Td>{until === undefined ? <span className="quiet">–</span> : <Day day={until} />}</Table.Td>
            <Table.Td data-extra>{law ?? <span className="quiet">–</span>}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** Those whose names in the API are not how they are written. */
const FIELDS: Readonly<Record<string, string>> = {
  id_proof: 'Proof of identity',
  one_time_codes: 'One-time codes',
  reference: 'Employee number',
}

function Cancel({ id, at }: { id: UserId; at: Date }) {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelErasure(id),
    onSuccess: async ({ cancelled }) => {
      notify(cancelled ? 'The erasure is cancelled.' : 'There was no erasure to cancel.')
      await refreshErasure(queries, id)
    },
    onError: notifyError,
  })
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        The person will be erased at <Time at={at} />. Until then the erasure can be cancelled, and nothing is lost.
      </Text>
      <Button size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel the erasure
      </Button>
    </Stack>
  )
}
