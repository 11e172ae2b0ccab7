import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import { readdirSync, readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join, relative } from 'node:path'

/** A document to typeset: `data` is JSON, `madeAt` in Unix seconds. An empty task only checks that the engine runs. */
export type Task = Document | Record<string, never>

type Document = { template: string; data: string; madeAt: number }

/** The response to each task. An error never contains the data. */
export type Outcome = { pdf: Uint8Array<ArrayBuffer> } | { error: string }

/** PDF/UA-1: tagged, titled, every image described; the engine rejects anything else. */
const STANDARD = 'ua-1'

/** What the last documents had in common is not set again: 8 % less for one; more of them cost as much as they save. */
const CACHED_DOCUMENTS = 2

const [, , templates = ''] = process.argv
const fonts = join(templates, 'fonts')

// The engine also finds the machine's fonts. Ours are passed as bytes and take precedence; the templates name them and
// disable fallback, so no other font gets into a document.
const compiler = NodeCompiler.create({
  workspace: templates,
  fontArgs: [
    {
      fontBlobs: readdirSync(fonts)
        .filter((name) => name.endsWith('.ttf'))
        .toSorted()
        .map((name) => readFileSync(join(fonts, name))),
    },
  ],
})

process.on('message', (task: Task) => {
  process.send?.('template' in task ? typeset(task as Document) : { pdf: new Uint8Array() })
})
flushCompileCache() // at its end it is killed, and would leave no compiled code
// A terminal signals the whole process group; the parent decides when this process ends, at the latest by closing the
// channel.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})

function typeset({ template, data, madeAt }: Document): Outcome {
  const source = { mainFilePath: join(templates, `${template}.typ`), inputs: { data } }
  // From source to bytes in one call: a compiled document handed to JavaScript keeps some 300 kB until garbage
  // collection, which in a thread that allocates little else runs only after a thousand documents.
  const print = (options: { pdfStandard?: string }) =>
    new Uint8Array(compiler.pdf(source, { ...options, creationTimestamp: madeAt }))
  try {
    try {
      return { pdf: print({ pdfStandard: STANDARD }) }
    } catch (error) {
      const errors = placedErrors(source) ?? exportErrors(error)
      if (errors.some((error) => !error.startsWith(TEXT_ERROR))) return { error: errors.join('\n') }
      // Letters missing from our fonts are printed as boxes, which is better than no document.
      return { pdf: print({}) }
    }
  } catch {
    return { error: 'the engine failed' }
  } finally {
    compiler.evictCache(CACHED_DOCUMENTS)
  }
}

const TEXT_ERROR = 'the text'

type Diagnostic = { message: string; path: string; range: { start: { line: number; character: number } } | null }

/** Returns the errors of the template and their locations; null when it compiles. */
function placedErrors(source: { mainFilePath: string; inputs: Record<string, string> }): string[] | null {
  const error = compiler.compile(source).takeError()
  if (!error) return null
  return (compiler.fetchDiagnostics(error) as Diagnostic[]).map(({ message, path, range }) => {
    const position = range ? `:${range.start.line + 1}:${range.start.character + 1}` : ''
    return `${relative(templates, path)}${position}: ${withoutValues(message)}`
  })
}

/** Returns the violations of the standard, which the engine reports in Rust's debug format. */
function exportErrors(error: unknown): string[] {
  const { code } = error as { code?: unknown }
  const messages = [...String(code).matchAll(/message: "(?:PDF\/UA-1 error: )?((?:[^"\\]|\\.)*)"/g)]
  return messages.length > 0 ? messages.map(([, message = '']) => withoutValues(message)) : ['not a PDF/UA-1 document']
}

/** Removes values, which follow a colon, a quote or a bracket and may be personal names. */
const withoutValues = (message: string) => message.replace(/[:"`(\\][\s\S]*/, '').trimEnd()
