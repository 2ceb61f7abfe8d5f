import type { ProjectEvent } from "@katari/core";

/** Events of one transaction, kept until its last write. */
export interface EventList {
  add(projectId: string, event: ProjectEvent): void;
  /** Has the project in the list, with or without an event. */
  touch(projectId: string): void;
  /** In the order of project ids: the order in which the projects' rows are locked. */
  byProject(): readonly (readonly [string, readonly ProjectEvent[]])[];
}

export function createEventList(): EventList {
  const events = new Map<string, ProjectEvent[]>();
  const listOf = (projectId: string): ProjectEvent[] => {
    const list = events.get(projectId) ?? [];
    events.set(projectId, list);
    return list;
  };
  return {
    touch: listOf,
    add: (projectId, event) => listOf(projectId).push(event),
    byProject: () => [...events].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
  };
}
