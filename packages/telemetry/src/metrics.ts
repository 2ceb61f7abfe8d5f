import { Registry, collectDefaultMetrics } from "prom-client";

export { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface MetricsOptions {
  /** Label `app` of every sample: `server`, `worker`, `model-server`. */
  readonly app: string;
  /** Whether figures of the process (CPU, memory, event loop) are collected too. Default true. */
  readonly processMetrics?: boolean;
}

export interface Metrics {
  /** Hand this to `new Counter({ registers: [registry] })`; there is no global registry in this product. */
  readonly registry: Registry;
  readonly contentType: string;
  /** All samples in the text format of Prometheus. */
  text(): Promise<string>;
}

/** The event loop's delay is looked at this often: each look wakes an idle process. */
const eventLoopLookMs = 100;

/** A registry of its own for one app. */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ app: options.app });
  if (options.processMetrics ?? true)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopLookMs });
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}
