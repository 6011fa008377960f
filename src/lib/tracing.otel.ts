/**
 * Tracing by the OpenTelemetry SDK, set up from its standard variables and nothing else. Loaded only when they ask for
 * it. The SDK's own store of the open span is not used: the scope has it already.
 */
import { randomUUID } from 'node:crypto'
import {
  type Context,
  createTraceState,
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import {
  diagLogLevelFromString,
  getNumberFromEnv,
  getStringFromEnv,
  getStringListFromEnv,
} from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from './log.ts'
import { version } from './paths.ts'
import type { RemoteParent, Span, SpanOptions, Tracer } from './tracing.ts'

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
}
const FLUSH_MS = 5_000

export function createOtelTracer(log: Log): Tracer {
  tellTroubleTo(log)
  const provider = new TracerProvider({
    resource: resourceOfNode(),
    sampler: chooseSampler(log),
    spanProcessors: chooseProcessors(log),
  })
  const tracer = provider.getTracer('souk', version())

  function start(name: string, { kind = 'internal', attributes }: SpanOptions, context: Context): Span {
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context)
    const { traceId, spanId } = span.spanContext()
    return {
      traceId,
      spanId,
      recording: span.isRecording(),
      child: (childName, options) => start(childName, options, trace.setSpan(ROOT_CONTEXT, span)),
      rename(given) {
        span.updateName(given)
      },
      set(given) {
        span.setAttributes(given)
      },
      fail(type) {
        span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
      },
      end: () => span.end(),
    }
  }

  const propagators = getStringListFromEnv('OTEL_PROPAGATORS')
  return {
    continues: propagators === undefined || propagators.includes('tracecontext'),
    root: (name, options, parent) => start(name, options, parent ? contextOf(parent) : ROOT_CONTEXT),
    async stop() {
      const limit = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS).unref())
      await Promise.race([limit, provider.shutdown()]).catch((error: unknown) =>
        log.warn({ err: error }, 'the last spans could not be sent'),
      )
    },
  }
}

function contextOf({ traceId, spanId, sampled, state }: RemoteParent): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  })
}

/** The variables win over what the node says of itself. */
function resourceOfNode() {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'souk',
        'service.version': version(),
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }))
}

function chooseSampler(log: Log): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const ratio = () => new TraceIdRatioBasedSampler(getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1)
  const below = (root: Sampler) => new ParentBasedSampler({ root })
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: ratio,
    parentbased_always_on: () => below(new AlwaysOnSampler()),
    parentbased_always_off: () => below(new AlwaysOffSampler()),
    parentbased_traceidratio: () => below(ratio()),
  }
  const known = samplers[name]
  if (!known) log.warn({ name }, 'OTEL_TRACES_SAMPLER is not a known sampler: keeping every trace')
  return (known ?? (() => below(new AlwaysOnSampler())))()
}

function chooseProcessors(log: Log): SpanProcessor[] {
  const names = new Set(getStringListFromEnv('OTEL_TRACES_EXPORTER') ?? ['otlp'])
  const protocol =
    getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (names.has('otlp') && protocol !== undefined && protocol !== 'http/protobuf')
    log.warn({ protocol }, 'the requested OTLP protocol is not supported: sending spans as http/protobuf')
  return [...names].flatMap((name): SpanProcessor[] => {
    if (name === 'otlp') return [inBatches()]
    if (name === 'console') return [new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })]
    if (name !== 'none') log.warn({ name }, 'OTEL_TRACES_EXPORTER is not a known exporter')
    return []
  })
}

/** Address, headers, time limit and compression: the exporter reads their variables itself. */
function inBatches(): SpanProcessor {
  return new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT'),
    maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE'),
  })
}

/** A collector that is away must not be silent, nor look like a fault of ours. */
function tellTroubleTo(log: Log): void {
  const at =
    (level: 'warn' | 'info' | 'debug' | 'trace'): DiagLogFunction =>
    (message) =>
      log[level]({ reason: String(message).slice(0, 500) }, 'tracing')
  const logger = {
    error: at('warn'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    verbose: at('trace'),
  }
  const level = diagLogLevelFromString(getStringFromEnv('OTEL_LOG_LEVEL')) ?? DiagLogLevel.WARN
  diag.setLogger(logger, { logLevel: level, suppressOverrideMessage: true })
}
