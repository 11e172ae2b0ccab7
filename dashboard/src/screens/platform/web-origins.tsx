import { type PlatformId, PreconditionFailedError, type WebOrigins as Origins } from '@banyan/client'
import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { webOriginsQuery } from '../../api/partners.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'

/** The web pages that may call with the tokens of the platform's people. */
export function WebOrigins({ id }: { id: PlatformId }) {
  const { role } = useSession()
  const query = useQuery(webOriginsQuery(id))
  return (
    <Section title="Web pages" aside={may(role, 'setWebOrigins') && query.data && <Edit id={id} record={query.data} />}>
      <Loaded query={query} lines={1}>
        {({ web_origins: origins }) =>
          origins.length === 0 ? (
            <Text size="sm">No page may call with the tokens of its people.</Text>
          ) : (
            <ul aria-label="Web pages">
              {origins.map((origin) => (
                <li key={origin}>
                  <code>{origin}</code>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

const FIELD = {
  pointer: '/web_origins',
  label: 'Origins, one in a line',
  hint: 'Scheme, host and port, such as https://app.example.com. Pages elsewhere get no response.',
  isLong: true,
}

function Edit({ id, record }: { id: PlatformId; record: Origins }) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const { queryKey } = webOriginsQuery(id)
  const close = () => setOpen(false)
  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const web_origins = typed(values, FIELD.pointer)?.split(/\s*\n\s*/) ?? []
    try {
      queries.setQueryData(
        queryKey,
        await banyan.platforms.setWebOrigins(id, { web_origins }, { ifMatch: record, signal }),
      )
    } catch (error) {
      if (error instanceof PreconditionFailedError) await queries.refetchQueries({ queryKey })
      throw error
    }
    notify('It is changed.')
    close()
  }
  const list = record.web_origins.join('\n')
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Dialog opened={isOpen} close={close} title="Web pages of the platform" size="lg">
        <ProblemForm
          fields={[FIELD]}
          initial={{ [FIELD.pointer]: list }}
          submit="Save"
          send={send}
          cancel={close}
          conflict={{ theirs: <Text className="lines">{list || 'None'}</Text> }}
        />
      </Dialog>
    </>
  )
}
