import { Checkbox, Menu, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { logOut } from '../api/banyan.ts'
import { notifyError } from '../parts/notices.tsx'
import { AccountButton } from './account-button.tsx'
import { setSingleKeys, useSingleKeys } from '../parts/shortcuts.ts'

const SCHEMES = [
  { value: 'auto', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** The look of the pages, keys, and the way out; loaded when it is first opened. */
export function AccountMenu() {
  const singleKeys = useSingleKeys()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={220} defaultOpened>
      <Menu.Target>
        <AccountButton />
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
