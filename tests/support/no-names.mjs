/**
 * Loaded with `--import` into every Node process of a story that has to find no network: no host name is known but this
 * machine's own. What is asked for by name then fails as it does on a machine without a network.
 */
import dns from "node:dns";

const lookup = dns.lookup;
dns.lookup = (name, ...rest) => {
  if (name === "localhost" || name === "127.0.0.1") return lookup(name, ...rest);
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", hostname: name });
  process.nextTick(() => rest.at(-1)(error));
  return {};
};
