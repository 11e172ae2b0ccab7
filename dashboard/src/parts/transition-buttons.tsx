import { Button, Group, Text, Tooltip } from '@mantine/core'

export type Move = { to: string; label: string; effect: string; isDangerous?: true }

/**
 * The moves out of a state as buttons. One that is not allowed now is shown all the same, with the reason, where there
 * is one; `whyNot` returns undefined for those that make no sense here.
 */
export function TransitionButtons<M extends Move>({
  moves,
  allowed,
  whyNot,
  choose,
  isBusy,
}: {
  moves: readonly M[]
  allowed: readonly string[]
  whyNot: (move: M) => string | undefined
  choose: (move: M) => void
  isBusy?: boolean
}) {
  const shown = moves.flatMap((move) => {
    const reason = allowed.includes(move.to) ? undefined : whyNot(move)
    return allowed.includes(move.to) || reason !== undefined ? [{ move, reason }] : []
  })
  if (shown.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing to do here for you now.
      </Text>
    )
  return (
    <Group gap="xs">
      {shown.map(({ move, reason }, index) => (
        <Tooltip key={move.to} label={reason ?? move.effect} multiline maw={280} withArrow>
          <Button
            size="xs"
            variant={index === 0 && !move.isDangerous ? 'filled' : 'default'}
            {...(move.isDangerous && { color: 'red', variant: 'outline' })}
            disabled={isBusy === true && reason === undefined}
            // A disabled button gets no focus, and its reason no reader.
            aria-disabled={reason !== undefined || undefined}
            {...(reason !== undefined && { 'data-disabled': true })}
            aria-description={reason ?? move.effect}
            onClick={() => reason === undefined && choose(move)}
          >
            {move.label}
          </Button>
        </Tooltip>
      ))}
    </Group>
  )
}
