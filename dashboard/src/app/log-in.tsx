import { Leaf } from '../parts/leaf.tsx'
import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { loginUrls } from '../api/banyan.ts'
import { sandboxUrl } from '../api/sandbox-url.ts'

/** For those who are not logged in; the login comes back to the page that was wanted. */
export function LogIn() {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack align="center" gap="sm">
        <Leaf size={48} />
        <Title order={1} size="h3">
          Banyan
        </Title>
        <Text c="dimmed" ta="center">
          Log in with your work account.
        </Text>
        <Button component="a" href={loginUrls.here()}>
          Log in
        </Button>
        <Text size="xs" c="dimmed" ta="center">
          {location.host}
          {sandboxUrl() !== undefined && ': a test installation, in which no company is real'}
        </Text>
      </Stack>
    </Center>
  )
}
