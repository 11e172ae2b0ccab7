import { Button, Group, Text, Tooltip } from '@mantine/core'
import { useEffect, useRef } from 'react'

export type Transition = {
  to: string
  label: string
  effect: string
  isDangerous?: true
  /** Nothing that the state waits for: its button is not the main one. */
  isExceptional?: true
}

/**
 * The transitions out of a state as buttons. One that is not allowed now is shown all the same, with the reason, where there
 * is one; `whyNot` returns undefined for those that make no sense here.
 */
export function TransitionButtons<T extends Transition>({
  transitions,
  allowed,
  whyNot,
  choose,
  isBusy,
  isNothingSaid = false,
}: {
  transitions: readonly T[]
  allowed: readonly string[]
  whyNot: (transition: T) => string | undefined
  choose: (transition: T) => void
  isBusy?: boolean
  /** Whether something else says what there is to do, where there is no button. */
  isNothingSaid?: boolean
}) {
  const shown = transitions.flatMap((transition) => {
    const reason = allowed.includes(transition.to) ? undefined : whyNot(transition)
    return allowed.includes(transition.to) || reason !== undefined ? [{ transition, reason }] : []
  })
  const group = useRef<HTMLDivElement>(null)
  const labels = shown.map(({ transition }) => transition.label).join()
  const before = useRef(labels)
  useEffect(() => {
    // The button that was pressed is gone with its transition, and the focus with it.
    if (before.current !== labels && document.activeElement === document.body)
      group.current?.querySelector('button')?.focus()
    before.current = labels
  }, [labels])
  if (shown.length === 0)
    return isNothingSaid ? null : (
      <Text size="sm" c="dimmed">
        Nothing to do here for you now.
      </Text>
    )
  return (
    <Group gap="xs" className="transitions" ref={group}>
      {shown.map(({ transition, reason }, index) => (
        <Tooltip key={transition.to} label={reason ?? transition.effect} multiline maw={280} withArrow>
          <Button
            size="xs"
            variant={index === 0 && !transition.isExceptional ? 'filled' : 'default'}
            {...(transition.isDangerous && { color: 'red', variant: 'outline', 'data-danger': true })}
            disabled={isBusy === true && reason === undefined}
            // A disabled button gets no focus, and its reason no reader.
            aria-disabled={reason !== undefined || undefined}
            {...(reason !== undefined && { 'data-disabled': true })}
            aria-description={reason ?? transition.effect}
            onClick={() => reason === undefined && choose(transition)}
          >
            {transition.label}
          </Button>
        </Tooltip>
      ))}
    </Group>
  )
}
