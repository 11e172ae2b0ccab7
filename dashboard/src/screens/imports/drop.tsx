import { Button, FileButton, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { ChosenFile } from '../../api/imports.ts'
import { sizeText } from './read-file.ts'

type DropSettings = { chosen: ChosenFile | undefined; choose: (file: File) => void }

/** Takes a file by its button, or dropped anywhere on the page: alongside the field, a browser would leave the page for it. */
export function Drop({ chosen, choose }: DropSettings) {
  const isOver = useDropped(choose)
  return (
    <div className="drop" data-over={isOver || undefined}>
      <Group gap="sm" justify="center">
        <FileButton onChange={(file) => file && choose(file)} accept=".csv,.jsonl,.ndjson,text/csv" key={chosen?.name}>
          {(button) => (
            <Button variant="default" data-search {...button}>
              {chosen ? 'Choose another file…' : 'Choose a file…'}
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          or drop it here: CSV or JSON Lines, up to 100,000 rows
        </Text>
      </Group>
      <Text size="sm" fw={600} role="status" className="breaks">
        {chosen && `${chosen.name}, ${sizeText(chosen.bytes.size)}`}
      </Text>
    </div>
  )
}

/** Whether a file is held above the page. */
function useDropped(choose: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(choose)
  useEffect(() => void (latest.current = choose))
  useEffect(() => {
    const ending = new AbortController()
    const on = (type: 'dragover' | 'dragleave' | 'drop', use: (event: DragEvent) => void) =>
      addEventListener(type, use, ending)
    on('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    })
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    on('drop', (event) => {
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file) latest.current(file)
    })
    return () => ending.abort()
  }, [])
  return isOver
}
