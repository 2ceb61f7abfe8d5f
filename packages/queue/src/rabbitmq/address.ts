import { AppError } from "@katari/core";

/** Where a RabbitMQ server is and who comes, as a URL says it. */
export interface RabbitMqAddress {
  readonly hostname: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string;
  readonly password: string;
  readonly vhost: string;
  readonly heartbeatSeconds: number;
  /** `host:port`, for people. */
  readonly place: string;
  /** What the person calls the setting that holds the URL. */
  readonly setting: string;
}

/** Half a minute: a cut network is seen within one, and a busy process is not taken for a dead one. */
const usualHeartbeatSeconds = 30;

/**
 * Reads `amqp://user:password@host[:5672][/vhost][?heartbeat=seconds]`; `amqps` for TLS on port 5671. No path is the
 * virtual host `/`; names in the path are percent-encoded (RabbitMQ's URI specification). Throws AppError
 * `invalid-argument` that names the setting and never shows the password.
 */
export function parseRabbitMqUrl(text: string, setting: string): RabbitMqAddress {
  const refuse = (what: string): AppError =>
    new AppError("invalid-argument", `${setting} ${what}.`, {
      cure: `Set ${setting} to amqp://user:password@host:5672/vhost, or to amqps://… for TLS.`,
    });
  let url: URL;
  let username: string;
  let password: string;
  let vhost: string;
  try {
    url = new URL(text);
    username = decodeURIComponent(url.username);
    password = decodeURIComponent(url.password);
    vhost = decodeURIComponent(url.pathname.slice(1)) || "/";
  } catch {
    throw refuse("is not a URL");
  }
  if (url.protocol !== "amqp:" && url.protocol !== "amqps:") throw refuse("does not begin with amqp:// or amqps://");
  if (url.hostname === "") throw refuse("names no host");
  if (username === "") throw refuse("names no user");
  if (url.pathname.slice(1).includes("/"))
    throw refuse("has a slash in its virtual host, which has to be written as %2F");
  for (const name of url.searchParams.keys())
    if (name !== "heartbeat") throw refuse(`has the parameter "${name}", which is not known here`);
  const heartbeatSeconds = Number(url.searchParams.get("heartbeat") ?? usualHeartbeatSeconds);
  if (!Number.isInteger(heartbeatSeconds) || heartbeatSeconds < 1)
    throw refuse("has a heartbeat that is not a whole number of seconds");
  const tls = url.protocol === "amqps:";
  const port = Number(url.port || (tls ? 5671 : 5672));
  return {
    // A URL keeps the brackets of an IPv6 address; sockets do not want them.
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    tls,
    username,
    password,
    vhost,
    heartbeatSeconds,
    place: `${url.hostname}:${port}`,
    setting,
  };
}
