import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useHold } from './dialog.tsx'

/** A secret that the service shows this once: copy it, then close. It is nowhere but in the memory of this page. */
export function SecretOnce({ name, secret, close }: { name: string; secret: string; close: () => void }) {
  useHold('The secret is shown this once.')
  const { copy, copied } = useClipboard()
  return (
    <Alert color="yellow" variant="outline" title={`${name}: copy it now`}>
      <Stack gap="xs">
        <Text size="sm">It is shown this once and cannot be read again.</Text>
        <Code block className="secret">
          {secret}
        </Code>
        <Group gap="xs">
          <Button size="xs" onClick={() => copy(secret)}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            I have stored it
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
