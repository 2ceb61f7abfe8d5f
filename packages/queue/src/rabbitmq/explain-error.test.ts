import { describe, expect, it } from "vitest";
import { parseRabbitMqUrl } from "./address.ts";
import { explainRabbitMqError } from "./explain-error.ts";

const address = parseRabbitMqUrl("amqp://me:secret@queue.example/books", "SETTING");
const explain = (code: string, message: string) =>
  explainRabbitMqError(Object.assign(new Error(message), { code }), address);

/** What 3.10 says is seen on a real server in `rabbitmq-refusals.test.ts`; here is what other versions say. */
describe("explainRabbitMqError", () => {
  it("knows which access is missing where the server says it (3.11 and later)", () => {
    const text =
      "ExchangeDeclare: ACCESS_REFUSED - configure access to exchange 'katari.queues' in vhost 'books' refused for user 'me'";
    expect(explain("ACCESS_REFUSED", text)).toMatchObject({
      code: "forbidden",
      message: 'RabbitMQ refuses the user "me" configure access to the exchange katari.queues.',
      cure: expect.stringContaining("set_permissions -p books me") as string,
    });
  });

  it("explains the server's time limit for acknowledgements", () => {
    const text =
      "undefined: PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms.";
    expect(explain("PRECONDITION_FAILED", text)).toMatchObject({
      code: "timeout",
      retryable: true,
      cure: expect.stringContaining("consumer_timeout") as string,
    });
  });

  it("takes what it does not know for a lost connection, which comes back", () => {
    expect(explain("INTERNAL_ERROR", "surprise")).toMatchObject({ code: "unavailable", retryable: true });
    expect(explainRabbitMqError("surprise", address)).toMatchObject({ code: "unavailable", retryable: true });
  });

  it("never shows the password", () => {
    for (const code of ["ECONNREFUSED", "ACCESS_REFUSED", "NOT_ALLOWED", "NACK", "ERR_TLS_CERT_ALTNAME_INVALID"]) {
      const { message, cure } = explain(code, "refused");
      expect(`${message} ${cure}`).not.toContain("secret");
    }
  });
});
