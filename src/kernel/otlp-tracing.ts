import {
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from './log.ts'
import { parseTraceparent, type Span, type SpanNotes, startTracing } from './tracing.ts'

/** The URL of the collector (OTLP over HTTP), and the ratio of traces to record. */
export type TracingSettings = { url: string; ratio: number }

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }
/** The whole program has nine seconds to stop. */
const EXPORT_TIMEOUT_MS = 3_000
/** A failing export is logged at most this often. */
const FAILURE_LOG_INTERVAL_MS = 60_000

/**
 * Records spans and exports them to a collector. Loaded only when tracing is on. A caller's sampled trace continues
 * here only within our own ratio, because callers do not decide how much is recorded. The returned function exports the
 * remaining spans.
 */
export function startOtlpTracing({
  url,
  ratio,
  version,
  log,
}: TracingSettings & { version: string; log: Log }): () => Promise<void> {
  const onExportFailure = createFailureLog(log)
  const ignore = () => {}
  diag.setLogger(
    { error: onExportFailure, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.ERROR,
  )
  const sampler = new TraceIdRatioBasedSampler(ratio)
  const service = resourceFromAttributes({ 'service.name': 'banyan', 'service.version': version })
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(service)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
  })
  const tracer = provider.getTracer('banyan')
  const contexts = new WeakMap<Span, Context>()

  const stop = startTracing((notes, parent) => {
    const context = parentContext(notes) ?? (parent && contexts.get(parent)) ?? ROOT_CONTEXT
    const { name, kind, attributes = {} } = notes
    const inner = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context)
    const { traceId, spanId, traceFlags } = inner.spanContext()
    const span: Span = {
      isRecorded: inner.isRecording(),
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      fields: { trace_id: traceId, span_id: spanId },
      set: (more) => void inner.setAttributes(more),
      fail: (error) => void inner.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR }),
      end: () => inner.end(),
    }
    contexts.set(span, trace.setSpan(ROOT_CONTEXT, inner))
    return span
  })
  return async () => {
    stop()
    await provider.shutdown().catch(onExportFailure)
    diag.disable()
  }
}

function parentContext({ parent, isForeign = false }: SpanNotes): Context | undefined {
  const parsed = parent === undefined ? undefined : parseTraceparent(parent)
  if (!parsed) return undefined
  const { traceId, spanId, flags } = parsed
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags & TraceFlags.SAMPLED,
    isRemote: isForeign,
  })
}

/** Logs without the library's own messages, because they contain URLs. */
function createFailureLog(log: Log): () => void {
  let loggedAt_ms = -FAILURE_LOG_INTERVAL_MS
  return () => {
    if (performance.now() - loggedAt_ms < FAILURE_LOG_INTERVAL_MS) return
    loggedAt_ms = performance.now()
    log.warn('spans could not be exported and are lost')
  }
}
