import type { DocumentStream } from '@banyan/client'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyError } from './notices.tsx'
import { saveCsv } from './save-file.ts'

export type ReadCsv = () => Promise<DocumentStream>

/** The whole list as a file, with the filters of the screen. */
export function DownloadCsv({ label, read }: { label: string; read: ReadCsv }) {
  const download = useMutation({
    mutationFn: async () => {
      const { body, filename = 'list.csv' } = await read()
      saveCsv(await new Response(body).blob(), filename)
    },
    onError: notifyError,
  })
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      aria-label={`Download CSV: ${label}`}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      Download CSV
    </Button>
  )
}
