import { Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type DocumentType, removeUpload, uploadDocument } from '../../api/documents.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { notify, notifyError } from '../../parts/notices.tsx'
import { Failed } from '../../parts/outcomes.tsx'
import { PdfFrame } from './pdf-frame.tsx'

type Target = { policy: PolicyRef; type: DocumentType; name: string }

/** Replaces a document by an own file, after a look at it, or takes the file back. */
export function Upload({ policy, type, name }: Target) {
  const [file, setFile] = useState<File | null>(null)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['policy', policy.id] })
  const upload = useMutation({
    mutationFn: (chosen: File) => uploadDocument(policy, type, chosen),
    onSuccess: async () => {
      notify(`${name} uploaded.`)
      setFile(null)
      await refresh()
    },
  })
  const remove = useMutation({
    mutationFn: () => removeUpload(policy, type),
    onSuccess: async () => {
      notify(`Uploaded ${name.toLowerCase()} removed: the generated one is shown.`)
      await refresh()
    },
    onError: notifyError,
  })
  const close = () => {
    setFile(null)
    upload.reset()
  }
  return (
    <Group gap="xs">
      <FileButton onChange={setFile} accept="application/pdf">
        {(button) => (
          <Button size="xs" variant="default" {...button}>
            Replace…
          </Button>
        )}
      </FileButton>
      <Button size="xs" variant="subtle" loading={remove.isPending} onClick={() => remove.mutate()}>
        Use generated
      </Button>
      <Modal opened={file !== null} onClose={close} title={`Replace: ${name}`} size="xl">
        {file && (
          <Stack gap="sm">
            <PdfFrame file={file} name="The chosen file" />
            {upload.error && <Failed error={upload.error} />}
            <Text size="sm">People get this file from now on instead of the generated document.</Text>
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button loading={upload.isPending} onClick={() => upload.mutate(file)}>
                Replace
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </Group>
  )
}
