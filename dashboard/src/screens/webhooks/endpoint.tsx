import type { WebhookEndpoint } from '@banyan/client'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Id } from '../../parts/id.tsx'
import { notify, notifyError } from '../../parts/notices.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/when.tsx'
import { ReplayRange } from './replay-range.tsx'

type EndpointSettings = { endpoint: WebhookEndpoint; isOwn: boolean; mayReplay: boolean }

const DISABLED_BECAUSE: Readonly<Record<string, string>> = {
  requested: 'its owner asked for it',
  failing: 'it failed for five days',
  gone: 'it responded that it is gone (410)',
}

/** One endpoint: what is sent there, and what its owner, or who helps, can do. */
export function Endpoint({ endpoint, isOwn, mayReplay }: EndpointSettings) {
  const { id, url, event_types, status, disabled_reason: reason } = endpoint
  return (
    <Section title="Endpoint" aside={<Id id={id} />}>
      <Stack gap="sm">
        <Id id={url} />
        <Facts
          facts={[
            ['State', <StateBadge state={status} />],
            ['Disabled because', reason === null ? '–' : (DISABLED_BECAUSE[reason] ?? reason)],
            ['Events', event_types.join(', ')],
            ['Created', <Time at={endpoint.created_at} />],
          ]}
        />
        <Group gap="xs">
          {mayReplay && <ReplayRange endpoint={endpoint} />}
          {isOwn && <OwnerActions endpoint={endpoint} />}
        </Group>
        {!isOwn && mayReplay && (
          <Text size="sm" c="dimmed">
            Only its owner can test, change or delete it.
          </Text>
        )}
      </Stack>
    </Section>
  )
}

type Action = 'rotate' | 'disable' | 'delete'
const ACTIONS: Readonly<Record<Action, { title: string; effect: string }>> = {
  rotate: {
    title: 'Rotate the secret',
    effect: 'For 24 hours deliveries are signed with both secrets, then with the new one only.',
  },
  disable: {
    title: 'Disable the endpoint',
    effect: 'Deliveries stop. What happens until it is enabled again is not sent by itself; it can be replayed.',
  },
  delete: { title: 'Delete the endpoint', effect: 'Deliveries stop, and their log is deleted. This cannot be undone.' },
}

function OwnerActions({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const queries = useQueryClient()
  const [action, setAction] = useState<Action>()
  const [secret, setSecret] = useState<string>()
  const refresh = () => queries.invalidateQueries({ queryKey: ['webhooks'] })
  const isActive = status === 'ACTIVE'
  const test = useMutation({
    mutationFn: () => banyan.webhookEndpoints.test(id),
    onSuccess: () => {
      notify('A test event is on its way.')
      return refresh()
    },
    onError: notifyError,
  })
  const enable = useMutation({
    mutationFn: () => banyan.webhookEndpoints.update(id, { status: 'ACTIVE' }),
    onSuccess: refresh,
    onError: notifyError,
  })
  const close = () => {
    setAction(undefined)
    setSecret(undefined)
  }
  const send = async (_values: object, signal: AbortSignal) => {
    const endpoints = banyan.webhookEndpoints
    if (action === 'rotate') setSecret((await endpoints.rotateSecret(id, { signal })).secret)
    else {
      if (action === 'delete') await endpoints.delete(id, { signal })
      else await endpoints.update(id, { status: 'DISABLED' }, { signal })
      close()
    }
    await refresh()
  }
  return (
    <>
      <Button size="xs" disabled={!isActive} loading={test.isPending} onClick={() => test.mutate()}>
        Send a test event
      </Button>
      {isActive ? (
        <Button size="xs" variant="default" onClick={() => setAction('disable')}>
          Disable
        </Button>
      ) : (
        <Button size="xs" variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => setAction('rotate')}>
        Rotate the secret
      </Button>
      <Button size="xs" variant="outline" color="red" onClick={() => setAction('delete')}>
        Delete
      </Button>
      <Dialog opened={action !== undefined} close={close} title={action && ACTIONS[action].title}>
        {secret !== undefined && <SecretOnce name="The new secret" secret={secret} close={close} />}
        {action && secret === undefined && (
          <ProblemForm
            fields={[]}
            submit={ACTIONS[action].title}
            send={send}
            cancel={close}
            isDangerous={action !== 'rotate'}
          >
            <Text size="sm">{ACTIONS[action].effect}</Text>
          </ProblemForm>
        )}
      </Dialog>
    </>
  )
}
