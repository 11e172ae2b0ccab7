import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTypesetter } from '../src/kernel/pdf/typesetter.ts'
import { SAMPLES, TEMPLATES } from './sample-documents.ts'

/** Typesets every template with sample data, for editing templates. Prints template errors with their location. */
const USAGE = `npm run preview -- [folder]

Sets every template of templates/ with sample data, and writes the PDFs into the folder (preview/ when none is named):
${Object.keys(SAMPLES).join(', ')}.
`
const MADE_AT = new Date('2026-04-03T06:30:00Z')
const FOLDER_DEFAULT = 'preview'

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
})
if (values.help) process.stdout.write(USAGE)
else await preview(positionals[0] ?? FOLDER_DEFAULT)

async function preview(folder: string): Promise<void> {
  const typesetter = createTypesetter({ templates: new URL('../templates', import.meta.url).pathname })
  await mkdir(folder, { recursive: true })
  for (const template of TEMPLATES) {
    for (const [sample, data] of Object.entries(SAMPLES)) {
      const file = join(folder, `${template}-${sample}.pdf`)
      try {
        await writeFile(file, await typesetter.typeset({ template, data, madeAt: MADE_AT }))
        process.stdout.write(`${file}\n`)
      } catch (error) {
        process.stderr.write(`${file}: ${(error as Error).message}\n`)
        process.exitCode = 1
      }
    }
  }
}
