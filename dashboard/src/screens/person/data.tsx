import type { Erasure, UserId } from '@banyan/client'
import { Button, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelErasure, exportOf, lifeQuery } from '../../api/people.ts'
import { notify, notifyError } from '../../parts/notices.tsx'
import { Section } from '../../parts/page.tsx'
import { AskPurpose } from '../../parts/reveal.tsx'
import { Day, Time } from '../../parts/when.tsx'
import { Erase } from './erase.tsx'
import type { Looker } from './sealed.tsx'

/** What a person can ask of those who hold their data: a copy of all, and its end. */
export function Data(looker: Looker) {
  const { id } = looker
  const [erasure, setErasure] = useState<Erasure>()
  const { data: life } = useQuery(lifeQuery(id))
  const isScheduled = life?.state === 'ERASURE_SCHEDULED'
  return (
    <>
      <Section title="Export">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">Everything that is stored about the person, as one JSON file.</Text>
          <Export {...looker} />
        </Stack>
      </Section>
      <Section title="Erasure">
        {erasure && <Fields erasure={erasure} />}
        {isScheduled && <Cancel id={id} />}
        {!erasure && !isScheduled && <Erase id={id} done={setErasure} />}
      </Section>
    </>
  )
}

/** The file goes to the folder of downloads; nothing of it stays in the page. */
function Export({ id, purpose, give }: Looker) {
  const download = async (why: string) => {
    const url = URL.createObjectURL(await exportOf(id, why))
    Object.assign(document.createElement('a'), { href: url, download: `person-${id}.json` }).click()
    setTimeout(() => URL.revokeObjectURL(url))
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

/** What has become, or will become, of each kind of data. */
function Fields({ erasure: { erased_at, fields } }: { erasure: Erasure }) {
  const isLater = erased_at.getTime() > Date.now()
  return (
    <Stack gap="xs">
      <Text size="sm">
        {isLater ? 'The person will be erased at ' : 'The person was erased at '}
        <Time at={erased_at} />.
      </Text>
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
              <Table.Td>{wordsOf(field)}</Table.Td>
              <Table.Td>{outcome === 'erased' ? 'Erased' : 'Kept without the person'}</Table.Td>
              <Table.Td>{until === undefined ? <span className="quiet">–</span> : <Day day={until} />}</Table.Td>
              <Table.Td data-extra>{law ?? <span className="quiet">–</span>}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}

const wordsOf = (field: string) => {
  const words = field.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function Cancel({ id }: { id: UserId }) {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelErasure(id),
    onSuccess: async ({ cancelled }) => {
      notify(cancelled ? 'The erasure is cancelled.' : 'There was no erasure to cancel.')
      await queries.invalidateQueries({ queryKey: ['person', id, 'life'] })
    },
    onError: notifyError,
  })
  return (
    <Stack gap="xs" align="flex-start" mt="xs">
      <Text size="sm">The notice period runs. Until its end the erasure can be cancelled, and nothing is lost.</Text>
      <Button size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel the erasure
      </Button>
    </Stack>
  )
}
