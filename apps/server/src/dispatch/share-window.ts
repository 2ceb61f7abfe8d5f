/** What a conversion could have of the free window. */
export interface Claimant {
  readonly id: string;
  readonly owner_id: string;
  /** Tasks that are due, counted up to the free window. */
  readonly due: number;
  /** Priority of its first task. */
  readonly priority: number;
  /** Its owner's virtual time; the same for all of an owner's conversions. */
  readonly virtual_time: number;
}

export interface Shares {
  /** Tasks for each conversion that gets any. */
  readonly shares: ReadonlyMap<string, number>;
  /** New virtual times of the owners who got any, and of the lane. */
  readonly ownerTimes: ReadonlyMap<string, number>;
  readonly laneTime: number;
}

/**
 * Shares a lane's free window: start-time fair queueing over owners, one task as the unit. Whoever has the smallest
 * virtual time gets the next task and moves on by one; an owner who was away starts at the lane's time, so that nobody
 * saves up. Within an owner the conversion with the most urgent next task goes first, then the oldest (the given
 * order). Source: Goyal, Vin, Cheng, "Start-time fair queueing" (1997), with all weights 1.
 */
export function shareWindow(claimants: readonly Claimant[], free: number, laneTime: number): Shares {
  const owners = new Map<string, { time: number; queue: { id: string; left: number }[] }>();
  const urgentFirst = [...claimants].sort((a, b) => a.priority - b.priority);
  for (const { id, owner_id, due, virtual_time } of urgentFirst) {
    const owner = owners.get(owner_id) ?? { time: Math.max(virtual_time, laneTime), queue: [] };
    owners.set(owner_id, owner);
    if (due > 0) owner.queue.push({ id, left: due });
  }
  const shares = new Map<string, number>();
  const ownerTimes = new Map<string, number>();
  let time = laneTime;
  for (let given = 0; given < free; given++) {
    const next = smallest(owners);
    const first = next?.[1].queue[0];
    if (next === undefined || first === undefined) break;
    const [ownerId, owner] = next;
    time = Math.max(time, owner.time);
    owner.time += 1;
    ownerTimes.set(ownerId, owner.time);
    shares.set(first.id, (shares.get(first.id) ?? 0) + 1);
    first.left -= 1;
    if (first.left === 0) owner.queue.shift();
  }
  return { shares, ownerTimes, laneTime: time };
}

function smallest<T extends { time: number; queue: unknown[] }>(owners: Map<string, T>): [string, T] | undefined {
  let best: [string, T] | undefined;
  for (const entry of owners) {
    if (entry[1].queue.length === 0) continue;
    if (best === undefined || entry[1].time < best[1].time) best = entry;
  }
  return best;
}

/** Tasks that a lane may have queued: some for each announced slot, never less than one batch, so that it can wake up. */
export function windowOf(slots: number, tasksPerSlot: number, maximum: number): number {
  return Math.min(Math.max(slots * tasksPerSlot, 16), maximum);
}
