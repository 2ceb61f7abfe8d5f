import { AppError } from "@katari/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noRabbitMq, startBroker, type Broker } from "../../../../tests/support/rabbitmq.ts";
import { connectRabbitMq } from "./connect.ts";
import { silent, withChannel } from "./testing/raw.ts";

const setting = "KATARI_SOME_URL";

/** Connects, which has to fail; gives what the person reads. */
async function refusal(url: string, connectTimeoutMs = 5_000): Promise<{ code: string; line: string; cure: string }> {
  try {
    const bus = await connectRabbitMq({ url, logger: silent, setting, connectTimeoutMs });
    await bus.close();
  } catch (error) {
    const { code, message, cure = "" } = AppError.from(error);
    return { code, line: message, cure };
  }
  throw new Error("It was let in.");
}

describe.skipIf(noRabbitMq)(`RabbitMQ says no${noRabbitMq === undefined ? "" : `: ${noRabbitMq}`}`, () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker({ tls: true });
  });
  afterAll(() => broker.remove());

  it("to a wrong password", async () => {
    const { code, line, cure } = await refusal(broker.url({ password: "wrong" }));
    expect(code).toBe("unauthenticated");
    expect(line).toContain('refuses the user "katari" with this password');
    expect(cure).toContain(setting);
  });

  it("to an unknown virtual host", async () => {
    const { code, line, cure } = await refusal(broker.url({ vhost: "nowhere" }));
    expect(code).toBe("not-found");
    expect(line).toContain('no virtual host "nowhere"');
    expect(cure).toContain("add_vhost nowhere");
    expect(cure).toContain(setting);
  });

  it("to a user without any right in the virtual host", async () => {
    await broker.ctl("add_user", "stranger", "pw");
    const { code, line, cure } = await refusal(broker.url({ user: "stranger", password: "pw" }));
    expect(code).toBe("forbidden");
    expect(line).toContain('"stranger"');
    expect(cure).toContain("rabbitmqctl set_permissions -p / stranger");
  });

  it.each([
    ["configure", ["^$", ".*", ".*"]],
    ["write", [".*", "^$", ".*"]],
    ["read", [".*", ".*", "^$"]],
  ])("to a user without the right to %s", async (which, rights) => {
    const user = `no-${which}`;
    const url = broker.url({ user, password: "pw", vhost: await vhost(broker, which) });
    await broker.ctl("add_user", user, "pw");
    await broker.ctl("set_permissions", "-p", which, user, ...rights);
    const { code, line, cure } = await refusal(url);
    expect(code).toBe("forbidden");
    expect(line).toMatch(/katari\./);
    expect(cure).toContain(`rabbitmqctl set_permissions -p ${which} ${user} '^katari\\.' '^katari\\.' '^katari\\.'`);
    // The right that the cure names is enough, and all of it is needed no further.
    await broker.ctl("set_permissions", "-p", which, user, "^katari\\.", "^katari\\.", "^katari\\.");
    const bus = await connectRabbitMq({ url, logger: silent, setting });
    const got = new Promise<unknown>((resolve) => {
      void bus.consume("import", { slots: 1 }, ({ body }) => {
        resolve(body);
        return Promise.resolve("ack");
      });
    });
    await bus.publish("import", "through");
    expect(await got).toBe("through");
    await bus.close();
  });

  it("to nobody, where nobody listens", async () => {
    const { code, line, cure } = await refusal("amqp://katari:katari@127.0.0.1:1/", 300);
    expect(code).toBe("unavailable");
    expect(line).toBe("No RabbitMQ server answers at 127.0.0.1:1: the connection was refused.");
    expect(cure).toContain(setting);
  });

  it("to a host name that does not exist", async () => {
    const { code, line } = await refusal("amqp://katari:katari@nowhere.invalid/", 300);
    expect(code).toBe("unavailable");
    expect(line).toContain("nowhere.invalid:5672");
  });

  it("to TLS where the server speaks none", async () => {
    const { code, cure } = await refusal(broker.url().replace("amqp:", "amqps:"), 1_000);
    expect(code).toBe("unavailable");
    expect(cure).toContain(setting);
  });

  it("to nobody, whose certificate is trusted, and Katari to a server whose certificate is not", async () => {
    const { code, line, cure } = await refusal(broker.tlsUrl, 1_000);
    expect(code).toBe("unavailable");
    expect(line).toContain("No trusted TLS connection to RabbitMQ at localhost:");
    expect(cure).toContain("NODE_EXTRA_CA_CERTS");
    const bus = await connectRabbitMq({ url: broker.tlsUrl, logger: silent, tls: { ca: broker.certificate } });
    await bus.publish("import", "over TLS");
    expect(await bus.depth("import")).toBe(1);
    await bus.close();
  });

  it("to a queue that exists with other arguments, until it is deleted", async () => {
    const url = await broker.addVhost("other-arguments");
    const queue = "katari.import";
    await withChannel(url, (channel) =>
      channel.queueDeclare({ queue, durable: true, arguments: { "x-queue-type": "classic" } }),
    );
    const { code, line, cure } = await refusal(url);
    expect(code).toBe("conflict");
    // Several arguments differ; which of them it names is the server's choice.
    expect(line).toMatch(
      /^The queue katari\.import exists on RabbitMQ with another x-[a-z-]+: it is .+, and has to be .+\.$/,
    );
    expect(cure).toContain("rabbitmqctl delete_queue -p other-arguments katari.import");
    await broker.ctl("delete_queue", "-p", "other-arguments", queue);
    await (await connectRabbitMq({ url, logger: silent, deliveryLimit: 6 })).close();
    // A process of the same installation with another limit.
    await expect(connectRabbitMq({ url, logger: silent, deliveryLimit: 9 })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/another x-delivery-limit: it is 6, and has to be 9\.$/) as string,
    });
  });

  it("when an exchange exists with another type", async () => {
    const url = await broker.addVhost("other-exchange");
    await withChannel(url, (channel) =>
      channel.exchangeDeclare({ exchange: "katari.queues", type: "topic", durable: true }),
    );
    const { code, line } = await refusal(url);
    expect(code).toBe("conflict");
    expect(line).toBe(
      "The exchange katari.queues exists on RabbitMQ with another type: it is topic, and has to be direct.",
    );
  });

  it("to none of several processes that make everything at the same moment", async () => {
    const url = await broker.addVhost("race");
    const buses = await Promise.all([1, 2, 3, 4].map(() => connectRabbitMq({ url, logger: silent })));
    await Promise.all(buses.map((bus, i) => bus.publish("import", i)));
    expect(await buses[0]?.depth("import")).toBe(4);
    await Promise.all(buses.map((bus) => bus.close()));
  });
});

/** A virtual host in which everything stands already, made by the user who may do everything. */
async function vhost(broker: Broker, name: string): Promise<string> {
  const url = await broker.addVhost(name);
  await (await connectRabbitMq({ url, logger: silent })).close();
  return name;
}
