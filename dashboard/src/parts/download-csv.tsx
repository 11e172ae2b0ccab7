import type { DocumentStream } from '@banyan/client'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifyError } from './notices.tsx'
import { saveFile } from './save-file.ts'

/** By this a spreadsheet knows that the file is UTF-8; programs read the CSV of the service, which has none. */
const BYTE_ORDER_MARK = '\ufeff'

export type ReadCsv = () => Promise<DocumentStream>

/** The whole list as a file, with the filters of the screen. */
export function DownloadCsv({ label, read }: { label: string; read: ReadCsv }) {
  const download = useMutation({
    mutationFn: async () => {
      const { body, filename = 'list.csv' } = await read()
      const csv = await new Response(body).blob()
      saveFile(new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv' }), filename)
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
