import { Kbd, Modal, Table } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { places } from '../parts/places.ts'
import type { Screen } from './screens.ts'
import { useShortcuts } from '../parts/shortcuts.ts'

const SEQUENCE_MS = 1_500

/** The keys that work on every screen; those of lists are in `list-page.tsx`. */
const LIST_KEYS = [
  ['/', 'The search or filter of this screen, otherwise the search'],
  ['Ctrl K', 'The search'],
  ['j  k', 'Next and previous row; inside a record, the next and previous of its list'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['?', 'This help'],
] as const

/** The keyboard: `g` and a key lead to a screen, `/` to the search, `?` shows all keys. */
export function Keys({ screens }: { screens: readonly Screen[] }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const pressedG = useRef(0)
  const find = (selector: string) => {
    const field = document.querySelector<HTMLElement>(selector)
    if (field) field.focus()
    else void navigate({ to: places.search })
  }
  const withKeys = screens.filter(({ key }) => key !== undefined)
  useHotkeys([['mod+K', () => find('form[role=search] [data-search]')]])
  useShortcuts([
    ['g', () => void (pressedG.current = performance.now())],
    ['shift+?', open],
    ['/', () => find('[data-search]')],
    ...withKeys.map(({ key = '', path }): [string, () => void] => [
      key,
      () => {
        if (performance.now() - pressedG.current < SEQUENCE_MS) void navigate({ to: path })
      },
    ]),
  ])
  return (
    <Modal opened={isOpen} onClose={close} title="Keys">
      <Table>
        <Table.Tbody>
          {LIST_KEYS.map(([keys, text]) => (
            <KeyRow key={keys} keys={keys} text={text} />
          ))}
          {withKeys.map(({ key, title }) => (
            <KeyRow key={title} keys={`g ${key}`} text={title} />
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}

function KeyRow({ keys, text }: { keys: string; text: string }) {
  return (
    <Table.Tr>
      <Table.Td>
        {keys.split(/ +/).map((key) => (
          <Kbd key={key} mr={4}>
            {key}
          </Kbd>
        ))}
      </Table.Td>
      <Table.Td>{text}</Table.Td>
    </Table.Tr>
  )
}
