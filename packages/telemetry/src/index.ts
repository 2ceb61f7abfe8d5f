export { createLogger, logLevels, type Logger, type LoggerOptions, type LogLevel } from "./logger.ts";
export {
  Counter,
  Gauge,
  Histogram,
  createMetrics,
  type Metrics,
  type MetricsOptions,
  type Registry,
} from "./metrics.ts";
