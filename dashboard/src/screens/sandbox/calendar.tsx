import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sandbox } from '../../api/sandbox.ts'
import { notifyError } from '../../parts/notices.tsx'
import { Section } from '../../parts/page.tsx'
import { Time } from '../../parts/when.tsx'

const STEPS = [
  { label: 'A day on', duration: 'P1D' },
  { label: 'A month on', duration: 'P1M' },
  { label: 'A year on', duration: 'P1Y' },
] as const

/** The calendar by which policies renew and end. */
export function Calendar({ now }: { now: string | undefined }) {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (duration: string | undefined) =>
      duration === undefined ? sandbox.clock.reset() : sandbox.clock.advance(duration),
    onSuccess: () => queries.invalidateQueries(),
    onError: notifyError,
  })
  return (
    <Section title="Calendar of policies">
      <Group gap="xs">
        <Text size="sm" component="span">
          It is <b>{now === undefined ? 'the real time' : <Time at={new Date(now)} />}</b>
        </Text>
        {now !== undefined &&
          STEPS.map(({ label, duration }) => (
            <Button
              key={duration}
              size="xs"
              variant="default"
              disabled={change.isPending}
              onClick={() => change.mutate(duration)}
            >
              {label}
            </Button>
          ))}
        {now !== undefined && (
          <Button size="xs" variant="subtle" disabled={change.isPending} onClick={() => change.mutate(undefined)}>
            Real time
          </Button>
        )}
      </Group>
    </Section>
  )
}
