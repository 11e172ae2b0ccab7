import { Checkbox, Menu, SegmentedControl, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { logOut } from '../api/banyan.ts'
import { ROLE_NAMES } from '../api/roles.ts'
import { useSession } from '../api/session.ts'
import { notifyError } from '../parts/notices.tsx'
import { setSingleKeys, useSingleKeys } from '../parts/shortcuts.ts'

const SCHEMES = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Who is logged in, the look of the pages, and the way out. */
export function AccountMenu() {
  const { name, role } = useSession()
  const singleKeys = useSingleKeys()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton className="account">
          <Text size="sm" fw={600} truncate component="span">
            {name ?? 'Logged in'}
          </Text>
          <Text size="xs" c="dimmed" component="span" className="nowrap">
            {ROLE_NAMES[role]}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Look</Menu.Label>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Look"
          data={SCHEMES}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as 'auto' | 'light' | 'dark')}
        />
        <Menu.Label>Keyboard</Menu.Label>
        <Checkbox
          size="xs"
          px="sm"
          py={4}
          label="Single keys, such as j and /"
          checked={singleKeys}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        <Menu.Divider />
        <Menu.Item component="a" href="/docs/desks">
          How to use these pages
        </Menu.Item>
        <Menu.Item component="a" href="/docs">
          API documentation
        </Menu.Item>
        <Menu.Item onClick={() => void logOut().catch(notifyError)}>Log out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
