import type { Administrator, AdministratorSession } from '@banyan/client'
import { Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionsQuery } from '../../api/administrators.ts'
import { banyan } from '../../api/banyan.ts'
import { ADMINISTRATOR_TRANSITIONS } from '../../api/partner-transitions.ts'
import { isRole, ROLE_NAMES } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { notify } from '../../parts/notices.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { ActionsHead, DestroyInRow } from '../../parts/row-action.tsx'
import { StatusChange } from '../../parts/status-change.tsx'
import { Ago, Time } from '../../parts/when.tsx'
import { transitionsOut } from '../../api/transitions.ts'

/** The sessions of one person, and whether the person may log in. */
export function AdministratorDetails({ administrator }: { administrator: Administrator }) {
  const { id, name, status, owner_id } = administrator
  const me = useSession()
  const query = useQuery(sessionsQuery(id))
  const [ending, setEnding] = useState<AdministratorSession>()
  return (
    <Section title={`Sessions of ${name ?? id}`} aside={owner_id === null ? <Id id={id} /> : <Named id={owner_id} />}>
      <Stack gap="sm">
        <Loaded query={query} lines={2}>
          {(sessions) => <Sessions sessions={sessions} end={setEnding} />}
        </Loaded>
        <StatusChange
          transitions={transitionsOut(ADMINISTRATOR_TRANSITIONS, status, me.role)}
          what="The person"
          set={(body, options) => banyan.administrators.setStatus(id, body, options)}
          stale={[['administrators'], ['sessions', id]]}
          {...(me.id === id && { allowed: [] })}
          whyNot={me.id === id ? 'You cannot disable yourself. Ask another owner.' : undefined}
        />
      </Stack>
      <Dialog opened={ending !== undefined} close={() => setEnding(undefined)} title="End the session">
        {ending && <EndSession administrator={administrator} session={ending} close={() => setEnding(undefined)} />}
      </Dialog>
    </Section>
  )
}

type SessionsSettings = { sessions: readonly AdministratorSession[]; end: (session: AdministratorSession) => void }

function Sessions({ sessions, end }: SessionsSettings) {
  if (sessions.length === 0) return <Empty title="Not logged in" />
  return (
    <Table className="list" aria-label="Sessions">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Logged in</Table.Th>
          <Table.Th data-extra>Role</Table.Th>
          <Table.Th>Last use</Table.Th>
          <Table.Th data-extra>Ends unless used</Table.Th>
          <ActionsHead />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map((session) => (
          <Table.Tr key={session.id}>
            <Table.Td>
              <Time at={session.created_at} />
            </Table.Td>
            <Table.Td data-extra>{isRole(session.role) ? ROLE_NAMES[session.role] : session.role}</Table.Td>
            <Table.Td>
              <Ago at={session.last_seen_at} />
            </Table.Td>
            <Table.Td data-extra>
              <Time at={session.expires_at} />
            </Table.Td>
            <DestroyInRow label="End" which={`session ${session.id}`} onClick={() => end(session)} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

type EndSettings = { administrator: Administrator; session: AdministratorSession; close: () => void }

function EndSession({ administrator, session, close }: EndSettings) {
  const queries = useQueryClient()
  const send = async (_values: object, signal: AbortSignal) => {
    await banyan.administrators.endSession(administrator.id, session.id, { signal })
    notify('The session has ended.')
    close()
    await queries.invalidateQueries({ queryKey: ['sessions', administrator.id] })
  }
  return (
    <ProblemForm fields={[]} submit="End the session" send={send} cancel={close} isDangerous>
      <Text size="sm">Its access tokens end within a second. The person can log in again.</Text>
    </ProblemForm>
  )
}
