import { Button, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useState, useSyncExternalStore } from 'react'
import { type Purpose, purposeGate, PURPOSES, statePurpose } from '../api/purposes.ts'

/** Above a dialog that is sent, below the login. */
const ABOVE_OTHERS = 400

/** Asks once in each tab where the installation requires a purpose for personal data. */
export function PurposeDialog() {
  const isNeeded = useSyncExternalStore(purposeGate.subscribe, purposeGate.isClosed)
  const [purpose, setPurpose] = useState<Purpose>(PURPOSES[0])
  return (
    <Modal
      opened={isNeeded}
      onClose={() => {}}
      withCloseButton={false}
      title="Why you read personal data"
      centered
      zIndex={ABOVE_OTHERS}
    >
      <Stack>
        <Text size="sm">
          It is kept in the audit with what you read, and the person can read it. It holds until you close this tab.
        </Text>
        <NativeSelect
          label="Purpose"
          data={[...PURPOSES]}
          value={purpose}
          onChange={({ currentTarget: { value } }) => setPurpose(value as Purpose)}
        />
        <Button onClick={() => statePurpose(purpose)}>Go on</Button>
      </Stack>
    </Modal>
  )
}
