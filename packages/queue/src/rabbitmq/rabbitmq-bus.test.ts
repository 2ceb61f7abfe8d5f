import { describeMessageBus } from "@katari/testkit";
import { afterAll, beforeAll, describe } from "vitest";
import { noRabbitMq, startBroker, type Broker } from "../../../../tests/support/rabbitmq.ts";
import { connectRabbitMq } from "./connect.ts";
import { purgeAll, silent } from "./testing/raw.ts";

describe.skipIf(noRabbitMq)(`the bus on RabbitMQ${noRabbitMq === undefined ? "" : `: ${noRabbitMq}`}`, () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.remove());

  describeMessageBus("on RabbitMQ", async () => {
    const url = broker.url();
    const bus = await connectRabbitMq({ url, logger: silent, deliveryLimit: 2 });
    return { bus, deliveryLimit: 2, dispose: () => purgeAll(url) };
  });
});
