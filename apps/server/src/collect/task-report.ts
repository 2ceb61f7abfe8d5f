import type { Outcome } from "@katari/contracts";

/** What is known of one attempt of a task: a worker's outcome, a death, or that nobody holds it any more. */
export interface TaskReport {
  readonly taskId: string;
  readonly attempt: number;
  readonly outcome:
    | Outcome
    /** The message came to the dead-letter queue. */
    | { readonly kind: "crashed" }
    /** The bus lost it, did not confirm it, or its lease has ended. */
    | { readonly kind: "lost"; readonly why: "epoch" | "lease" | "unconfirmed" };
}
