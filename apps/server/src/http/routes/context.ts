import type { ObjectStore } from "@katari/storage";
import type { Application } from "../../application.ts";

/** What the routes work with. */
export interface RouteContext {
  readonly application: Application;
  readonly store: ObjectStore;
  readonly maxUploadBytes: number;
  /** Fires when the server stops: open event streams end. */
  readonly stopping: AbortSignal;
  readonly logFailure: (error: unknown, message: string) => void;
}
