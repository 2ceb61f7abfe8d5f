import { AppError } from "@katari/core";
import { describe, expect, it } from "vitest";
import { parseRabbitMqUrl } from "./address.ts";

const read = (url: string): unknown => {
  try {
    return parseRabbitMqUrl(url, "SETTING");
  } catch (error) {
    const { code, message, cure } = AppError.from(error);
    return { code, message, cure };
  }
};

describe("parseRabbitMqUrl", () => {
  it("reads user, password and virtual host, percent-decoded", () => {
    expect(read("amqp://me%40home:p%2Fw@queue.example/%2Fbooks?heartbeat=5")).toMatchObject({
      hostname: "queue.example",
      port: 5672,
      tls: false,
      username: "me@home",
      password: "p/w",
      vhost: "/books",
      heartbeatSeconds: 5,
    });
  });

  it("takes the virtual host / when there is none, and the port of TLS for amqps", () => {
    expect(read("amqps://me:pw@queue.example")).toMatchObject({ port: 5671, tls: true, vhost: "/" });
    expect(read("amqp://me:pw@[::1]:7/")).toMatchObject({ hostname: "::1", port: 7, vhost: "/" });
  });

  it.each([
    "queue.example",
    "http://me:pw@queue.example",
    "amqp://queue.example",
    "amqp://me:pw@",
    "amqp://me:pw@queue.example/a/b",
    "amqp://me:secret@queue.example?heartbeat=soon",
    "amqp://me:secret@queue.example?frame_max=1",
    "amqp://me:%zz@queue.example",
  ])("refuses %s with the setting's name and without the password", (url) => {
    const refused = read(url);
    expect(refused).toMatchObject({ code: "invalid-argument", message: expect.stringContaining("SETTING") as string });
    expect(JSON.stringify(refused)).not.toContain("secret");
  });
});
