import { PreconditionFailedError } from '@banyan/client'
import { Button, FileButton, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  documentQuery,
  type DocumentType,
  NO_UPLOAD,
  ownUploadQuery,
  removeUpload,
  uploadDocument,
} from '../../api/documents.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { PdfFrame } from './pdf-frame.tsx'

type Target = { policy: PolicyRef; type: DocumentType; name: string }

type Change = {
  /** Undefined to take an uploaded file back. */
  file?: File
  /** The version that it was decided upon. */
  seen: string | undefined
  /** The version that was shown then. */
  shown: string | undefined
}

/** Replaces a document by an own file, after a look at it, or takes the file back. */
export function Upload({ policy, type, name }: Target) {
  const [change, setChange] = useState<Change>()
  const queries = useQueryClient()
  const query = documentQuery(policy, type)
  const { data: current } = useQuery(query)
  const ownQuery = ownUploadQuery(policy, type)
  const { data: own } = useQuery(ownQuery)
  const newest = own?.etag !== undefined && own.over === current?.etag ? own.etag : current?.etag
  const close = () => setChange(undefined)
  const begin = (file?: File) => setChange({ ...(file && { file }), seen: newest, shown: current?.etag })

  const send = async (_values: object, signal: AbortSignal) => {
    if (!change) return
    const { file, seen, shown } = change
    try {
      if (file) {
        const { etag } = await uploadDocument(policy, { type, seen, signal }, file)
        queries.setQueryData(ownQuery.queryKey, { etag, over: current?.etag })
      } else {
        await removeUpload(policy, { type, seen, signal })
        queries.setQueryData(ownQuery.queryKey, NO_UPLOAD)
      }
    } catch (error) {
      if (error instanceof PreconditionFailedError) {
        const { etag } = await queries.fetchQuery({ ...query, staleTime: 0 })
        // A file for the next issue cannot be read before that, so its version is not known.
        setChange({ ...change, seen: etag === shown ? undefined : etag, shown: etag })
      }
      throw error
    }
    // Before anything else can be chosen, so that this version is known.
    await queries.invalidateQueries({ queryKey: ['policy', policy.id] })
    notify(file ? `${name} uploaded.` : `Uploaded ${name.toLowerCase()} removed: the generated one is shown.`)
    close()
  }

  return (
    <Group gap="xs">
      <FileButton onChange={(file) => file && begin(file)} accept="application/pdf">
        {(button) => (
          <Button size="xs" variant="default" {...button}>
            Replace…
          </Button>
        )}
      </FileButton>
      <Button size="xs" variant="subtle" onClick={() => begin()}>
        Use generated
      </Button>
      <Dialog
        opened={change !== undefined}
        close={close}
        title={`${change?.file ? 'Replace' : 'Use generated'}: ${name}`}
        size={change?.file ? 'xl' : 'md'}
      >
        {change && (
          <ProblemForm
            fields={[]}
            submit={change.file ? 'Replace' : 'Use generated'}
            isDangerous={!change.file}
            send={send}
            cancel={close}
            conflict={{ theirs: current && <PdfFrame file={current.file} name="The document that is shown now" /> }}
          >
            {change.file && <PdfFrame file={change.file} name="The chosen file" />}
            <Text size="sm">
              {change.file
                ? 'People get this file from now on instead of the generated document.'
                : 'The uploaded file is deleted. People get the generated document again.'}
            </Text>
          </ProblemForm>
        )}
      </Dialog>
    </Group>
  )
}
