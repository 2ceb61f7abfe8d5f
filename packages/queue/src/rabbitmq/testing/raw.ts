import { Connection } from "rabbitmq-client";
import { describeTopology } from "../topology.ts";
import type { BusLogger } from "../link.ts";

export const silent: BusLogger = { info: () => undefined, warn: () => undefined };

/** Empties (or deletes) every queue of the topology, by a connection beside the bus. */
export async function deleteAll(url: string, how: "purge" | "delete"): Promise<void> {
  await withChannel(url, async (channel) => {
    for (const { queue } of describeTopology({ deliveryLimit: 0 }).queues)
      await (how === "purge" ? channel.queuePurge({ queue }) : channel.queueDelete({ queue }));
  });
}

/** Runs work on a channel of its own connection. */
export async function withChannel<T>(
  url: string,
  work: (channel: Awaited<ReturnType<Connection["acquire"]>>) => Promise<T>,
): Promise<T> {
  const connection = new Connection(url);
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
