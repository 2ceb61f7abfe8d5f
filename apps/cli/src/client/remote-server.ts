import { AppError } from "@katari/core";
import { createApiClient, type ApiClient } from "./api-client.ts";

/** The API of a server that runs elsewhere. Its token comes from the environment: a command line is seen by everybody. */
export function remoteServer(url: string, environment: Readonly<Record<string, string | undefined>>): ApiClient {
  if (!/^https?:\/\/[^/?#]+\/?$/u.test(url))
    throw new AppError("invalid-argument", `"${url}" is not the address of a server.`, {
      cure: "Give it as --server http://name:port.",
    });
  const token = environment["KATARI_HTTP_TOKEN"];
  if (token === undefined || token === "")
    throw new AppError("unauthenticated", "The server's token is not known.", {
      cure: "Set KATARI_HTTP_TOKEN to the token that the server was started with.",
    });
  return createApiClient({ url: url.replace(/\/$/u, ""), token });
}
