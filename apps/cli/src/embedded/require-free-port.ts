import { AppError } from "@katari/core";
import { once } from "node:events";
import { createServer } from "node:net";

/** Says that a port is taken before anything is started for it. Throws AppError `port-taken` or `no-permission`. */
export async function requireFreePort(port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE")
      throw new AppError("port-taken", `Port ${port} is taken by another program.`, {
        cure: `Choose another, such as --port ${port === 65_535 ? port - 1 : port + 1}, or end the other program.`,
        cause: error,
      });
    if (error.code === "EACCES")
      throw new AppError("no-permission", `Port ${port} may not be used by this user.`, {
        cure: "Choose a port above 1023 with --port.",
        cause: error,
      });
    throw AppError.from(error);
  });
  server.close();
  await once(server, "close");
}
