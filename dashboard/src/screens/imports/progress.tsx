import type { Import } from '@banyan/client'
import { Progress, Stack, Text } from '@mantine/core'
import { isAtWork } from '../../api/imports.ts'
import { amountText, countText } from '../../parts/texts.ts'

const MINUTE_S = 60

/** Returns `about 40 seconds left`, `about 3 minutes left`; nothing while nobody can say. */
export function leftText(seconds: number | null): string | undefined {
  if (seconds === null) return undefined
  if (seconds < MINUTE_S) return `about ${amountText(seconds, 'second')} left`
  return `about ${amountText(Math.round(seconds / MINUTE_S), 'minute')} left`
}

/** How far an import is, while it is at work: each row is checked, then those without an error are written. */
export function ImportProgress({ one }: { one: Import }) {
  if (!isAtWork(one)) return null
  const { rows, checked, rejected, done, lost } = one
  const isChecking = one.state === 'CHECKING'
  const all = one.check_only ? rows : 2 * rows - rejected
  const [sum, of] = isChecking ? [checked, rows] : [done + lost, rows - rejected]
  return (
    <Stack gap={6}>
      <Progress value={((checked + done + lost) / Math.max(all, 1)) * 100} aria-label="Progress" />
      <Text size="sm">
        {[
          `${isChecking ? 'Checked' : 'Written'}: ${countText(sum)} of ${countText(of)} rows`,
          leftText(one.seconds_left),
        ]
          .filter(Boolean)
          .join(', ')}
      </Text>
      <Text size="sm" c="dimmed">
        It goes on without this page. Its address shows it again.
      </Text>
    </Stack>
  )
}
