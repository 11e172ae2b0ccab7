import { useEffect, useMemo } from 'react'

type PdfSettings = { file: Blob; name: string; fileName?: string }

/** A PDF in the page; where the browser has no viewer, as on phones, a link that opens it. */
export function PdfFrame({ file, name, fileName }: PdfSettings) {
  const url = useMemo(() => URL.createObjectURL(file), [file])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <>
      {navigator.pdfViewerEnabled && <iframe className="document" src={`${url}#navpanes=0`} title={name} />}
      <div className="document-links">
        <a href={url} target="_blank" rel="noreferrer">
          Open {name.toLowerCase()}
        </a>
        {fileName !== undefined && (
          <a href={url} download={fileName}>
            Save
          </a>
        )}
      </div>
    </>
  )
}
