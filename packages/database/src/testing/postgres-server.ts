import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@katari/core";
import { Client } from "pg";

/** Where Debian's packages put each release. */
const releases = "/usr/lib/postgresql";
const password = "let-me/in@once";

/** The newest release's programs, if the package `postgresql` is installed. */
function findPrograms(): string | undefined {
  if (!existsSync(releases)) return undefined;
  return readdirSync(releases)
    .sort((a, b) => Number(b) - Number(a))
    .map((release) => join(releases, release, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/**
 * Why tests on PostgreSQL are to be left out, or `undefined`. With KATARI_REQUIRE_ALL=1 nothing is left out: they run,
 * and fail where it is missing.
 */
export function whyNoPostgres(): string | undefined {
  if (process.env["KATARI_REQUIRE_ALL"] === "1") return undefined;
  return findPrograms() === undefined ? "needs PostgreSQL (Debian's package postgresql)" : undefined;
}

/** A PostgreSQL of its own for tests: in a temporary folder, on a free port of the loopback, without `fsync`. */
export interface TestPostgres {
  readonly port: number;
  /** Address of a database of it, as its superuser `katari`; the first one is called `katari`. */
  url(over?: { readonly user?: string; readonly password?: string; readonly database?: string }): string;
  /** Runs statements as the superuser, in a database (`katari` when none is named); answers the rows of a single one. */
  run(statements: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends it: `fast` undoes what runs and closes every connection, `killed` is a crash of the whole server. */
  stop(how?: "fast" | "killed"): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Ends it and deletes its data. */
  close(): Promise<void>;
}

/** Makes and starts a server. It ends with this process, however that ends. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const programs = findPrograms();
  if (programs === undefined)
    throw new AppError("not-found", "PostgreSQL is not installed.", { cure: "Run: apt-get install postgresql" });
  const folder = await mkdtemp(join(tmpdir(), "katari-postgres-"));
  const port = await freePort();
  const account = accountOfPostgres();
  const data = join(folder, "data");
  await writeFile(join(folder, "password"), password, { mode: 0o644 });
  await chmod(folder, 0o755);
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const made = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "katari", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-A", "scram-sha-256"].concat(
      `--pwfile=${join(folder, "password")}`,
    ),
    { ...account, cwd: folder, encoding: "utf8" },
  );
  if (made.status !== 0)
    throw new AppError("internal", `initdb ended with ${made.status}.`, { cause: made.error ?? made.stderr });

  let running: ChildProcess | undefined;
  const server: TestPostgres = {
    port,
    url: (over = {}) => {
      const user = encodeURIComponent(over.user ?? "katari");
      return `postgresql://${user}:${encodeURIComponent(over.password ?? password)}@127.0.0.1:${port}/${over.database ?? "katari"}`;
    },
    async run(statements, database = "katari") {
      const client = new Client({ connectionString: server.url({ database }) });
      await client.connect();
      try {
        const result = await client.query<Record<string, unknown>>(statements);
        return result.rows;
      } finally {
        await client.end();
      }
    },
    async start() {
      if (running !== undefined) return;
      running = startServer(join(programs, "postgres"), { folder, data, port, account });
      await untilAnswering(server.url({ database: "postgres" }), running);
    },
    async stop(how = "fast") {
      if (running === undefined) return;
      const ended = once(running, "exit");
      if (how === "killed") process.kill(await postmasterOf(data), "SIGQUIT");
      // Its keeper then ends it with SIGINT, PostgreSQL's fast shutdown.
      running.stdin?.end();
      running = undefined;
      await ended;
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await server.start();
    await server.run("create database katari", "postgres");
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to be root; Debian's package makes a user for it. */
function accountOfPostgres(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (what: string): number => Number(spawnSync("id", [what, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: ask("-u"), gid: ask("-g") };
}

/** The server under a keeper that ends it when the pipe from this process closes, also by a kill -9 of this process. */
const keeper = `exec 3<&0 </dev/null; "$@" & server=$!; (read -r _ <&3; kill -INT $server 2>/dev/null) & wait $server; code=$?; kill $! 2>/dev/null; exit $code`;

function startServer(
  program: string,
  { folder, data, port, account }: { folder: string; data: string; port: number; account: Account | undefined },
): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    max_connections: 60,
    shared_buffers: "32MB",
    fsync: "off",
    full_page_writes: "off",
    deadlock_timeout: "100ms",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn("sh", ["-c", keeper, "sh", program, "-D", data, "-p", String(port), ...args], {
    ...account,
    cwd: folder,
    stdio: ["pipe", "ignore", "ignore"],
  });
}

async function untilAnswering(url: string, process: ChildProcess): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (process.exitCode !== null)
        throw new AppError("internal", `PostgreSQL ended with ${process.exitCode}.`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const postmasterOf = async (data: string): Promise<number> =>
  Number.parseInt(await readFile(join(data, "postmaster.pid"), "utf8"), 10);

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
