import { Code, Stack, Text } from '@mantine/core'
import { Page, Section } from '../../parts/page.tsx'

const KEY = '"admin-api-key: $(cat ${DATA_DIR:-.banyan}/keys/admin-api-key)"'
const LIST = `curl --header ${KEY} \\
  ${location.origin}/v1/account_providers`
const CREATE = `curl --header ${KEY} \\
  --json '{"name": "Example Bank"}' \\
  ${location.origin}/v1/account_providers`

/** No session may read account providers, so this page has the commands. */
export function Screen() {
  return (
    <Page title="Account providers">
      <Section title="Only with the administrator key">
        <Stack gap="sm">
          <Text size="sm">
            The banks that hold accounts are read and changed with the header <Code>admin-api-key</Code> alone, which no
            login has. Run these on the host of the service; in production the key is in <Code>ADMIN_API_KEYS</Code>.
          </Text>
          <Command title="List them" text={LIST} />
          <Command title="Create one" text={CREATE} />
        </Stack>
      </Section>
    </Page>
  )
}

function Command({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Code block className="secret">
        {text}
      </Code>
    </div>
  )
}
