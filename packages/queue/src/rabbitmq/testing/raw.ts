import { Connection } from "rabbitmq-client";
import { describeTopology } from "../topology.ts";
import type { BusLogger } from "../link.ts";

/** A log that nobody reads. */
export const silent: BusLogger = { info: () => undefined, warn: () => undefined };

/** Empties every queue of the topology, by a connection beside the bus. */
export async function purgeAll(url: string): Promise<void> {
  await withChannel(url, async (channel) => {
    for (const { queue } of describeTopology({ deliveryLimit: 0 }).queues) await channel.queuePurge({ queue });
  });
}

/** Runs work on a channel of its own connection. */
export async function withChannel<T>(
  url: string,
  work: (channel: Awaited<ReturnType<Connection["acquire"]>>) => Promise<T>,
): Promise<T> {
  const connection = new Connection(url);
  // What fails rejects; an emitter without a listener would end the process.
  connection.on("error", () => undefined);
  try {
    await connection.onConnect();
    const channel = await connection.acquire({ emitErrorsFromChannel: true });
    channel.on("error", () => undefined);
    try {
      return await work(channel);
    } finally {
      await channel.close();
    }
  } finally {
    await connection.close();
  }
}
