import type { Credential } from '@banyan/client'
import { Button, Checkbox, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createCredential, type CredentialOwner, credentialsQuery, revokeCredential } from '../api/credentials.ts'
import { ONBOARDING_KEY } from '../api/onboarding.ts'
import { may } from '../api/rights.ts'
import { mayWrite } from '../api/roles.ts'
import { useSession } from '../api/session.ts'
import { Dialog } from './dialog.tsx'
import { Id } from './id.tsx'
import { NameLink } from './name-link.tsx'
import { notify } from './notices.tsx'
import { Empty, Loaded } from './outcomes.tsx'
import { Section } from './page.tsx'
import { places } from './places.ts'
import { type Field, ProblemForm, typed } from './problem-form.tsx'
import { ActionsHead, DestroyInRow } from './row-action.tsx'
import { SecretOnce } from './secret-once.tsx'
import { Ago, Time } from './when.tsx'

const DAY_MS = 86_400_000
const FIELDS: readonly Field[] = [
  {
    pointer: '/expires_at',
    label: 'Ends',
    choices: [
      { value: '', label: 'Never' },
      { value: '30', label: 'After 30 days' },
      { value: '90', label: 'After 90 days' },
      { value: '365', label: 'After a year' },
    ],
  },
  {
    pointer: '/ip_allow_list',
    label: 'Networks',
    hint: 'Addresses or networks it may be used from, one a line, such as 203.0.113.0/24. Empty: from anywhere.',
    isLong: true,
  },
]

/** The credentials of a partner: made with their secret shown once, and revoked with what ends by that. */
export function Credentials({ owner }: { owner: CredentialOwner }) {
  const { role } = useSession()
  const query = useQuery(credentialsQuery(owner))
  const queries = useQueryClient()
  const [isNew, setNew] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [revoked, setRevoked] = useState<Credential>()
  const isWriter = mayWrite(role)
  const refresh = () =>
    Promise.all(
      [credentialsQuery(owner).queryKey, ONBOARDING_KEY].map((queryKey) => queries.invalidateQueries({ queryKey })),
    )

  const create = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const days = Number(values['/expires_at'] ?? 0)
    const networks = typed(values, '/ip_allow_list')?.split(/[\s,]+/)
    const { basic_token } = await createCredential(
      owner,
      {
        expires_at: days > 0 ? new Date(Date.now() + days * DAY_MS) : null,
        ip_allow_list: networks ?? null,
      },
      { signal },
    )
    setSecret(basic_token)
    setNew(false)
    await refresh()
  }

  return (
    <Section
      title="Credentials"
      aside={
        isWriter && (
          <Button size="xs" onClick={() => setNew(true)}>
            New credential
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {secret !== undefined && (
          <SecretOnce name="The new credential" secret={secret} close={() => setSecret(undefined)} />
        )}
        <Loaded query={query} lines={2}>
          {(credentials) => <Rows credentials={credentials} revoke={isWriter ? setRevoked : undefined} />}
        </Loaded>
      </Stack>
      <Dialog opened={isNew} close={() => setNew(false)} title="New credential">
        <ProblemForm fields={FIELDS} submit="Create" send={create} cancel={() => setNew(false)}>
          <Text size="sm">With it, a server of the partner gets access tokens. The secret is shown once.</Text>
        </ProblemForm>
      </Dialog>
      <Dialog opened={revoked !== undefined} close={() => setRevoked(undefined)} title="Revoke the credential">
        {revoked && <Revoke owner={owner} credential={revoked} close={() => setRevoked(undefined)} refresh={refresh} />}
      </Dialog>
    </Section>
  )
}

type RowsSettings = { credentials: readonly Credential[]; revoke: ((credential: Credential) => void) | undefined }

function Rows({ credentials, revoke }: RowsSettings) {
  const { role } = useSession()
  const seesReads = may(role, 'listExposure')
  if (credentials.length === 0) return <Empty title="No credentials">Without one, the partner cannot call.</Empty>
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table className="list" aria-label="Credentials">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Credential</Table.Th>
            <Table.Th>Last use</Table.Th>
            <Table.Th data-extra>Ends</Table.Th>
            <Table.Th data-extra>Networks</Table.Th>
            <Table.Th data-extra>Created</Table.Th>
            {revoke && <ActionsHead />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {credentials.map((credential) => (
            <Table.Tr key={credential.credential_id}>
              <Table.Td>
                <Id id={credential.credential_id} />
                {seesReads && (
                  <div>
                    <NameLink name="What it read" to={places.exposure(credential.credential_id)} />
                  </div>
                )}
              </Table.Td>
              <Table.Td>{credential.last_used_at ? <Ago at={credential.last_used_at} /> : 'Never used'}</Table.Td>
              <Table.Td data-extra>{credential.expires_at ? <Time at={credential.expires_at} /> : 'Never'}</Table.Td>
              <Table.Td data-extra>{credential.ip_allow_list?.join(', ') ?? 'Any'}</Table.Td>
              <Table.Td data-extra>
                <Ago at={credential.created_at} />
              </Table.Td>
              {revoke && (
                <DestroyInRow label="Revoke" which={credential.credential_id} onClick={() => revoke(credential)} />
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

type RevokeSettings = {
  owner: CredentialOwner
  credential: Credential
  close: () => void
  refresh: () => Promise<unknown>
}

function Revoke({ owner, credential, close, refresh }: RevokeSettings) {
  const { role } = useSession()
  const [keepsUsers, setKeepsUsers] = useState(false)
  const isPlatform = owner.kind === 'platform'
  const users = keepsUsers
    ? 'Tokens of users made with it last until they expire.'
    : 'So do tokens of users made with it.'
  const send = async (_values: object, signal: AbortSignal) => {
    await revokeCredential(owner, credential.credential_id, { keepsUsers, signal })
    notify('The credential is revoked.')
    close()
    await refresh()
  }
  return (
    <ProblemForm fields={[]} submit="Revoke" send={send} cancel={close} isDangerous>
      <Text size="sm">
        Within a second, <Id id={credential.credential_id} /> and every access token made with it stop working.{' '}
        {isPlatform && users} This cannot be undone.
      </Text>
      <Text size="sm">
        {credential.last_used_at ? (
          <>
            It was last used <Ago at={credential.last_used_at} />.
          </>
        ) : (
          'It was never used.'
        )}
        {may(role, 'listExposure') && (
          <>
            {' '}
            <NameLink name="What it read" to={places.exposure(credential.credential_id)} /> stays listed.
          </>
        )}
      </Text>
      {isPlatform && (
        <Checkbox
          label="Keep the tokens of users (planned rotation)"
          checked={keepsUsers}
          onChange={({ currentTarget }) => setKeepsUsers(currentTarget.checked)}
        />
      )}
    </ProblemForm>
  )
}
