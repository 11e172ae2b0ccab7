import { AsyncLocalStorage } from 'node:async_hooks'

type Attributes = Record<string, string | number>

/** The description of a span. Names and attributes are fixed words and never identify a person. */
export type SpanNotes = {
  name: string
  kind: 'server' | 'client' | 'consumer'
  attributes?: Attributes
  /** The `traceparent` to continue; without it, the span is a child of the current one. */
  parent?: string | undefined
  /** Whether a caller sent the `traceparent`; callers do not decide how much is recorded here. */
  isForeign?: boolean
}

export type Span = {
  /** False for a span that is not sampled, which only propagates its trace. */
  isRecorded: boolean
  /** For propagation (W3C Trace Context). */
  traceparent: string
  /** The ids, as in lines of the log. */
  fields: { trace_id: string; span_id: string }
  set(attributes: Attributes): void
  /** Marks the span as failed, with the kind of the error; messages could quote personal data. */
  fail(kind: string): void
  end(): void
}

/** Begins a span as a child of another one, or at the root of a trace. */
type BeginSpan = (notes: SpanNotes, parent: Span | undefined) => Span

const NONE: readonly Span[] = []

let begin: BeginSpan | undefined
/** The current spans: several for a statement that callers share. */
const current = new AsyncLocalStorage<readonly Span[]>()

/** Turns tracing on. Until then every function here returns after looking at one variable. The returned function turns it off. */
export function startTracing(beginSpan: BeginSpan): () => void {
  begin = beginSpan
  return () => void (begin = undefined)
}

export const isTracing = (): boolean => begin !== undefined

export const recordedSpans = (): readonly Span[] =>
  begin === undefined ? NONE : (current.getStore()?.filter(({ isRecorded }) => isRecorded) ?? NONE)

export const traceparent = (): string | undefined =>
  begin === undefined ? undefined : current.getStore()?.[0]?.traceparent

export function traceHeaders(): Record<string, string> {
  const ownTraceparent = traceparent()
  return ownTraceparent === undefined ? {} : { traceparent: ownTraceparent }
}

export const traceFields = (): object => current.getStore()?.[0]?.fields ?? {}

/** Begins a span that the caller ends; `within` makes it current. Undefined without tracing. */
export const beginSpan = (notes: SpanNotes): Span | undefined =>
  begin?.(notes, notes.parent === undefined ? current.getStore()?.[0] : undefined)

/** Runs work with these as the current spans. */
export const within = <T>(spans: readonly Span[], work: () => T): T =>
  begin === undefined ? work() : current.run(spans, work)

/** Records work as a span; an error marks it as failed. */
export function inSpan<T>(notes: SpanNotes, work: (span?: Span) => Promise<T>): Promise<T> {
  const span = beginSpan(notes)
  return span === undefined ? work() : record([span], work)
}

/** Records work as a child of each current span that is recorded; without one, nothing is recorded. */
export function inChildSpan<T>(notes: SpanNotes, work: () => Promise<T>): Promise<T> {
  const parents = recordedSpans()
  if (parents.length === 0) return work()
  const attributes = { ...notes.attributes, ...(parents.length > 1 && { 'banyan.shared_by': parents.length }) }
  const spans = parents.flatMap((parent) => begin?.({ ...notes, attributes }, parent) ?? [])
  return record(spans, work)
}

async function record<T>(spans: readonly Span[], work: (span?: Span) => Promise<T>): Promise<T> {
  try {
    return await within(spans, () => work(spans[0]))
  } catch (error) {
    for (const span of spans) span.fail(errorKind(error))
    throw error
  } finally {
    for (const span of spans) span.end()
  }
}

/** Returns the code or the name of an error, never its message. */
export function errorKind(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return typeof name === 'string' ? name : typeof error
}

const PATTERN = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/

/** Parses a `traceparent`, also of later versions, which may be longer. Returns undefined when it is invalid. */
export function parseTraceparent(text: string): { traceId: string; spanId: string; flags: number } | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = PATTERN.exec(text) ?? []
  if (version === undefined || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}
