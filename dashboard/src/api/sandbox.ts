import { Sandbox } from '@banyan/client/sandbox'
import { queryOptions } from '@tanstack/react-query'
import { sandboxUrl } from './sandbox-url.ts'

export const sandbox = new Sandbox(sandboxUrl())

const REFRESH_MS = 3_000

export type SentMessage = { to: string; text: string; sent_at: string }

/** A company that the sandbox stands in for; its state is in further members. */
type Company = { setting: string; mode?: string; now?: string }

const read = async <Body>(path: string, signal: AbortSignal): Promise<Body> => {
  const response = await fetch(`${sandboxUrl()}${path}`, {
    signal,
    redirect: 'error',
    headers: { accept: 'application/json' },
  })
  if (!response.ok) throw new Error(`The sandbox responded ${response.status}.`)
  return (await response.json()) as Body
}

export const companiesQuery = queryOptions({
  queryKey: ['sandbox', 'companies'],
  queryFn: async ({ signal }) => {
    const { companies } = await read<{ companies: readonly Company[] }>('/', signal)
    const by = (setting: string) => companies.find((company) => company.setting === setting)
    return {
      operator: by('OPERATOR_URL')?.mode,
      accountProvider: by('ACCOUNT_PROVIDER_URL')?.mode,
      now: companies.find(({ now }) => now !== undefined)?.now,
    }
  },
  refetchInterval: REFRESH_MS,
})

export const messagesQuery = queryOptions({
  queryKey: ['sandbox', 'messages'],
  queryFn: async ({ signal }) => (await read<{ messages: readonly SentMessage[] }>('/sms/messages', signal)).messages,
  refetchInterval: REFRESH_MS,
})
