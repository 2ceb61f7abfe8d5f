import { Counter, createMetrics, Gauge, Histogram } from "@katari/telemetry";

/** Why an inference failed, as a label. */
export type FailureReason = "rejected" | "expired" | "cancelled" | "timeout" | "model" | "process";

/** What one model tells while it serves. */
export interface ModelMetrics {
  succeeded(runMs: number): void;
  failed(reason: FailureReason): void;
  waited(queueMs: number): void;
  childEnded(reason: RestartReason): void;
}

/** Why a child was replaced, as a label. */
export type RestartReason = "crash" | "killed" | "recycled";

/** Facts that are read when the metrics are fetched. */
export interface ModelGauges {
  readonly model: string;
  readonly version: string;
  readonly queued: { readonly interactive: number; readonly bulk: number };
  readonly instances: readonly { readonly ready: boolean; readonly busy: boolean; readonly rssBytes: number }[];
}

export interface ServerMetrics {
  readonly contentType: string;
  forModel(model: string, version: string): ModelMetrics;
  text(): Promise<string>;
}

/** Metrics of one server in Prometheus form. `gauges` is asked at every fetch. */
export function createServerMetrics(gauges: () => readonly ModelGauges[]): ServerMetrics {
  const metrics = createMetrics({ app: "model-server" });
  const registers = [metrics.registry];
  const labelNames = ["model", "version"] as const;
  const inferences = new Counter({
    name: "katari_inference_total",
    help: "Runs of a model that ended with outputs",
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: "katari_inference_failures_total",
    help: "Inference requests that ended without outputs",
    labelNames: [...labelNames, "reason"],
    registers,
  });
  const queueSeconds = new Histogram({
    name: "katari_inference_queue_seconds",
    help: "Time between a request's arrival and its start",
    labelNames,
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    registers,
  });
  const runSeconds = new Histogram({
    name: "katari_inference_run_seconds",
    help: "Time that the model's process took for a request",
    labelNames,
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers,
  });
  const childEnds = new Counter({
    name: "katari_child_restarts_total",
    help: "Children that were replaced",
    labelNames: [...labelNames, "reason"],
    registers,
  });
  const queueLength = new Gauge({
    name: "katari_inference_queue_length",
    help: "Requests that wait for an instance",
    labelNames: [...labelNames, "priority"],
    registers,
  });
  const instances = new Gauge({
    name: "katari_model_instances",
    help: "Instances of a model by state",
    labelNames: [...labelNames, "state"],
    registers,
  });
  const rssBytes = new Gauge({
    name: "katari_child_rss_bytes",
    help: "Resident memory of a child after its last run",
    labelNames: [...labelNames, "instance"],
    registers,
  });

  function readGauges(): void {
    for (const gauge of [queueLength, instances, rssBytes]) gauge.reset();
    for (const { model, version, queued, instances: children } of gauges()) {
      const labels = { model, version };
      queueLength.set({ ...labels, priority: "interactive" }, queued.interactive);
      queueLength.set({ ...labels, priority: "bulk" }, queued.bulk);
      const busy = children.filter((child) => child.busy).length;
      const ready = children.filter((child) => child.ready).length;
      instances.set({ ...labels, state: "busy" }, busy);
      instances.set({ ...labels, state: "idle" }, ready - busy);
      instances.set({ ...labels, state: "starting" }, children.length - ready);
      for (const [index, child] of children.entries())
        rssBytes.set({ ...labels, instance: String(index) }, child.rssBytes);
    }
  }

  return {
    contentType: metrics.contentType,
    forModel(model, version) {
      const labels = { model, version };
      // A series that is there from the start makes a rate over it true from the first inference on.
      inferences.inc(labels, 0);
      return {
        succeeded(runMs) {
          inferences.inc(labels);
          runSeconds.observe(labels, runMs / 1000);
        },
        failed: (reason) => failures.inc({ ...labels, reason }),
        waited: (queueMs) => queueSeconds.observe(labels, queueMs / 1000),
        childEnded: (reason) => childEnds.inc({ ...labels, reason }),
      };
    },
    async text() {
      readGauges();
      return metrics.text();
    },
  };
}
