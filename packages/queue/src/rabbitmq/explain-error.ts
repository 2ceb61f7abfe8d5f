import { AppError, type ErrorCode } from "@katari/core";
import type { RabbitMqAddress } from "./address.ts";

const unreachable: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "there was no answer in time",
  CONNECTION_TIMEOUT: "there was no answer in time",
};

/**
 * Turns an error of the driver or the socket into one line that names what to change: the URL's setting, a permission,
 * a queue. What passes by itself is `unavailable` and retryable.
 */
export function explainRabbitMqError(error: unknown, address: RabbitMqAddress): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  const say = (kind: ErrorCode, message: string, cure: string, retryable = false): AppError =>
    new AppError(kind, message, { cure, retryable, cause: error });
  const { place, setting, username, vhost } = address;
  const why = unreachable[code];
  if (why !== undefined)
    return say(
      "unavailable",
      `No RabbitMQ server answers at ${place}: ${why}.`,
      `Start RabbitMQ there, or correct host and port in ${setting}.`,
      true,
    );
  if (code === "ACCESS_REFUSED") return explainRefusal(text, address, say);
  if (code === "NOT_ALLOWED") {
    if (/vhost .* not found/.test(text))
      return say(
        "not-found",
        `RabbitMQ at ${place} has no virtual host "${vhost}".`,
        `Make it (rabbitmqctl add_vhost ${vhost}), or correct the path in ${setting}.`,
      );
    if (/refused/.test(text))
      return say(
        "forbidden",
        `RabbitMQ does not let the user "${username}" into the virtual host "${vhost}".`,
        `Give the permission: ${grant(address)}`,
      );
  }
  if (code === "PRECONDITION_FAILED") {
    const differs = /inequivalent arg '(.+?)' for (queue|exchange) '(.+?)' in vhost '.*?': (.+)$/.exec(text);
    if (differs) {
      const [, name = "", kind = "", thing = "", values = ""] = differs;
      return say(
        "conflict",
        `The ${kind} ${thing} exists on RabbitMQ with another ${name}: ${sayValues(values)}.`,
        kind === "queue"
          ? `Delete it (rabbitmqctl delete_queue -p ${vhost} ${thing}) and start again: Katari makes it anew, and the tasks in it come back from the database.`
          : `Delete the exchange, or use a virtual host of Katari's own in ${setting}.`,
      );
    }
    if (/acknowledgement .*timed out/.test(text))
      return say(
        "timeout",
        "RabbitMQ took a message back because it was not acknowledged within the server's consumer_timeout.",
        "Raise consumer_timeout in rabbitmq.conf above the time that one task takes.",
        true,
      );
  }
  if (isTlsError(code, text))
    return say(
      "unavailable",
      `No trusted TLS connection to RabbitMQ at ${place}: ${text}.`,
      `Give the certificate authority of the server (NODE_EXTRA_CA_CERTS=ca.pem), or correct host, port and amqps:// in ${setting}.`,
    );
  if (isMissing(error))
    return say(
      "unavailable",
      `A queue or an exchange of Katari was missing on RabbitMQ at ${place}.`,
      "Katari makes it again by itself; the work that was in it comes back from the database.",
      true,
    );
  if (code === "NACK")
    return say(
      "unavailable",
      "RabbitMQ did not keep a message; its queue is full or has no leader.",
      "Look at the queues on the RabbitMQ server; Katari tries again by itself.",
      true,
    );
  return say(
    "unavailable",
    `The connection to RabbitMQ at ${place} was lost.`,
    "Katari connects again by itself; if it stays, look at the log of the RabbitMQ server.",
    true,
  );
}

/** Whether the server lacks the queue or the exchange that was named. */
export const isMissing = (error: unknown): boolean => codeOf(error) === "NOT_FOUND";

/** The driver's and Node's errors carry a word as code. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

function explainRefusal(
  text: string,
  address: RabbitMqAddress,
  say: (kind: ErrorCode, message: string, cure: string) => AppError,
): AppError {
  // 3.11 and later say which of the three accesses it was; 3.10 does not.
  const access = /((?:configure|read|write) )?access to (queue|exchange|topic) '(.+?)' in vhost/.exec(text);
  if (access) {
    const [, which = "", kind = "", thing = ""] = access;
    return say(
      "forbidden",
      `RabbitMQ refuses the user "${address.username}" ${which}access to the ${kind} ${thing}.`,
      `Give the permission: ${grant(address)}`,
    );
  }
  return say(
    "unauthenticated",
    `RabbitMQ at ${address.place} refuses the user "${address.username}" with this password.`,
    `Correct user and password in ${address.setting}.`,
  );
}

const grant = ({ username, vhost }: RabbitMqAddress): string =>
  `rabbitmqctl set_permissions -p ${vhost} ${username} '^katari\\.' '^katari\\.' '^katari\\.'`;

/** `received the value '6' of type 'signedint' but current is none` in words. */
function sayValues(values: string): string {
  const found = /^received (.+?) but current is (.+)$/.exec(values);
  const plain = (text = ""): string => text.replace(/^(?:the value )?'(.*?)'(?: of type '.*')?$/, "$1");
  return found ? `it is ${plain(found[2])}, and has to be ${plain(found[1])}` : values;
}

/** Codes of OpenSSL and of Node's own checks have no common form. */
const isTlsError = (code: string, text: string): boolean =>
  /CERT|SSL|TLS|^EPROTO$|^UNABLE_TO_/.test(code) || /TLS connection/.test(text);
