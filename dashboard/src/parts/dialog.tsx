import { Alert, Button, Group, Modal, type ModalProps } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useState } from 'react'
import { useLeaveQuestion } from './leave-question.ts'

/** Why a dialog should stay: what would be lost, or what still runs. */
type Hold = { why: string /** Nothing closes it until then. */; isFixed: boolean }

const HoldContext = createContext<(hold: Hold | undefined) => void>(() => {})

/** Keeps the dialog around from closing by a key or a click alongside it, and the screen from being left, without a question. */
export function useHold(why: string | undefined, isFixed = false): void {
  const hold = useContext(HoldContext)
  useLeaveQuestion(why)
  // In the same frame: a person who types can press Escape at once.
  useLayoutEffect(() => {
    hold(why === undefined ? undefined : { why, isFixed })
    return () => hold(undefined)
  }, [hold, why, isFixed])
}

type DialogSettings = Pick<ModalProps, 'title' | 'size' | 'opened'> & { close: () => void; children: ReactNode }

/** A dialog that asks before it closes over what was typed, a secret that is shown once, or work that still runs. */
export function Dialog({ opened, close, title, size, children }: DialogSettings) {
  const [hold, setHold] = useState<Hold>()
  const [asks, setAsks] = useState(false)
  useEffect(() => {
    if (hold === undefined) setAsks(false)
  }, [hold])
  return (
    <Modal opened={opened} onClose={() => (hold ? setAsks(true) : close())} title={title} {...(size && { size })}>
      {hold && asks && (
        <Alert color="yellow" variant="outline" role="alert" mb="sm" title={hold.why}>
          {!hold.isFixed && (
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setAsks(false)}>
                Stay
              </Button>
              <Button size="xs" variant="outline" color="red" onClick={close}>
                Close all the same
              </Button>
            </Group>
          )}
        </Alert>
      )}
      <HoldContext value={setHold}>{children}</HoldContext>
    </Modal>
  )
}
