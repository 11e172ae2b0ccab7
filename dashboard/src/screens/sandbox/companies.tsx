import type { AccountProviderMode, OperatorMode } from '@banyan/client/sandbox'
import { Group, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sandbox } from '../../api/sandbox.ts'
import { notifyError } from '../../parts/notices.tsx'
import { Section } from '../../parts/page.tsx'

const OPERATOR: readonly OperatorMode[] = ['ok', 'slow', 'error', 'timeout', 'lost_answer', 'reject', 'block', 'flaky']
const PROVIDER: readonly AccountProviderMode[] = ['ok', 'slow', 'error', 'reject', 'flaky']

type Modes = { operator: string | undefined; accountProvider: string | undefined }

/** How the companies behave from now on. */
export function Companies({ operator, accountProvider }: Modes) {
  return (
    <Section title="Companies">
      <Group gap="lg">
        <Mode label="Wallet operator" modes={OPERATOR} mode={operator} set={sandbox.operator.mode} />
        <Mode label="Account provider" modes={PROVIDER} mode={accountProvider} set={sandbox.accountProvider.mode} />
      </Group>
    </Section>
  )
}

type ModeSettings<M extends string> = {
  label: string
  modes: readonly M[]
  mode: string | undefined
  set: (mode: M) => Promise<void>
}

function Mode<M extends string>({ label, modes, mode, set }: ModeSettings<M>) {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: set,
    onError: notifyError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['sandbox'] }),
  })
  return (
    <NativeSelect
      label={label}
      data={modes.map((one) => ({ value: one, label: one.replaceAll('_', ' ') }))}
      value={change.isPending ? change.variables : (mode ?? 'ok')}
      onChange={({ currentTarget: { value } }) => change.mutate(value as M)}
    />
  )
}
