import assert from 'node:assert/strict'

export type Sample = { name: string; labels: Record<string, string>; value: number }
export type MetricsPage = { types: Map<string, string>; helpTexts: Map<string, string>; samples: Sample[] }

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** Parses a page of metrics as Prometheus does; fails at a malformed line. */
export function parseMetrics(text: string): MetricsPage {
  const page: MetricsPage = { types: new Map(), helpTexts: new Map(), samples: [] }
  for (const line of text.split('\n').filter(Boolean)) {
    const [, kind, name = '', words = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind !== undefined) {
      const notes = kind === 'HELP' ? page.helpTexts : page.types
      assert(!notes.has(name), `${name} is described twice`)
      notes.set(name, words)
      continue
    }
    const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(`not a line of metrics: ${line}`)
    const named = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text])
    page.samples.push({
      name: sample,
      labels: Object.fromEntries(named),
      value: Number(value.replace('Inf', 'Infinity')),
    })
  }
  return page
}

/** The value of the one sample with this name and at least these labels; undefined when there is none. */
export function valueOf(page: MetricsPage, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels)
  const found = page.samples.filter(
    (one) => one.name === name && wanted.every(([key, text]) => one.labels[key] === text),
  )
  assert(found.length <= 1, `${name} ${JSON.stringify(labels)} is there ${found.length} times`)
  return found[0]?.value
}

/** Reads the page at a URL. */
export const readMetrics = async (url: string): Promise<MetricsPage> => parseMetrics(await (await fetch(url)).text())
