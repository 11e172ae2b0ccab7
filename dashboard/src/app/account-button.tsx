import { Text, UnstyledButton, type UnstyledButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { ROLE_NAMES } from '../api/roles.ts'
import { useSession } from '../api/session.ts'

type ButtonSettings = UnstyledButtonProps & Omit<ComponentPropsWithRef<'button'>, 'style'>

/** Who is logged in; what opens by it is loaded then. */
export function AccountButton(settings: ButtonSettings) {
  const { name, role } = useSession()
  return (
    <UnstyledButton aria-haspopup="menu" {...settings} className="account">
      <Text size="sm" fw={600} truncate component="span">
        {name ?? 'Logged in'}
      </Text>
      <Text size="xs" c="dimmed" component="span" className="nowrap">
        {ROLE_NAMES[role]}
      </Text>
    </UnstyledButton>
  )
}
