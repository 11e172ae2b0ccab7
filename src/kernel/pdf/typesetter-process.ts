import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** A document to set: `data` is JSON, `madeAt` in Unix seconds. Nothing in it: to see that the engine is there. */
export type Task = Document | Record<string, never>

type Document = { template: string; data: string; madeAt: number }

/** The answer to each task. An error never holds the data. */
export type Outcome = { pdf: Uint8Array<ArrayBuffer> } | { error: string }

/** PDF/UA-1: tagged, titled, every picture described; the engine refuses what is not. */
const STANDARD = 'ua-1'

const [, , templates = ''] = process.argv
const fonts = join(templates, 'fonts')

// The engine also finds the fonts of the machine. Ours are given as bytes and so come first, whatever is installed,
// and the templates name them and turn fallback off: no other font gets into a document.
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
// A terminal signals the whole group: whoever started this decides when it ends, at the latest by closing the channel.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})

function typeset({ template, data, madeAt }: Document): Outcome {
  const source = { mainFilePath: join(templates, `${template}.typ`), inputs: { data } }
  // From source to bytes in one call: a compiled document handed to JavaScript is some 300 kB that wait for a
  // collection of garbage, and a thread that makes nothing else has one after a thousand documents.
  const print = (options: { pdfStandard?: string }) =>
    new Uint8Array(compiler.pdf(source, { ...options, creationTimestamp: madeAt }))
  try {
    try {
      return { pdf: print({ pdfStandard: STANDARD }) }
    } catch (error) {
      const errors = placedErrors(source) ?? exportErrors(error)
      if (errors.some((error) => !error.startsWith(TEXT_ERROR))) return { error: errors.join('\n') }
      // Letters that no font of ours has are printed as boxes: no reason to leave somebody without a document.
      return { pdf: print({}) }
    }
  } catch {
    return { error: 'the engine failed' }
  } finally {
    compiler.evictCache(0)
  }
}

const TEXT_ERROR = 'the text'

type Diagnostic = { message: string; path: string; range: { start: { line: number; character: number } } | null }

/** What is wrong with the template and where; null when it can be compiled. */
function placedErrors(source: { mainFilePath: string; inputs: Record<string, string> }): string[] | null {
  const error = compiler.compile(source).takeError()
  if (!error) return null
  return (compiler.fetchDiagnostics(error) as Diagnostic[]).map(({ message, path, range }) => {
    const place = range ? `:${range.start.line + 1}:${range.start.character + 1}` : ''
    return `${relative(templates, path)}${place}: ${withoutValues(message)}`
  })
}

/** What the standard forbids: it is told as Rust prints its own values. */
function exportErrors(error: unknown): string[] {
  const { code } = error as { code?: unknown }
  const messages = [...String(code).matchAll(/message: "(?:PDF\/UA-1 error: )?((?:[^"\\]|\\.)*)"/g)]
  return messages.length > 0 ? messages.map(([, message = '']) => withoutValues(message)) : ['not a PDF/UA-1 document']
}

/** The engine tells values after a colon, in quotes or in brackets, and a value may be somebody's name. */
const withoutValues = (message: string) => message.replace(/[:"`(\\][\s\S]*/, '').trimEnd()
