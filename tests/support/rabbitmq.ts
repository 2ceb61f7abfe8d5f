import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Debian's scripts behind its wrappers; the wrappers change the user and the folder. */
const programs = "/usr/lib/rabbitmq/bin";
const isThere = existsSync(join(programs, "rabbitmq-server"));

/** Why tests on a real RabbitMQ are skipped; absent when they run. With KATARI_REQUIRE_ALL=1 they run, and fail. */
export const noRabbitMq: string | undefined =
  isThere || process.env["KATARI_REQUIRE_ALL"] === "1"
    ? undefined
    : "RabbitMQ is not installed (Debian package rabbitmq-server)";

/** A RabbitMQ server of one test file's own: its folder, its ports, its epmd. */
export interface Broker {
  readonly port: number;
  /** URL of the TLS port, and the certificate to trust; empty without `tls`. */
  readonly tlsUrl: string;
  readonly certificate: string;
  url(part?: { user?: string; password?: string; vhost?: string; query?: string }): string;
  /** Runs `rabbitmqctl …` on it; gives what it printed. */
  ctl(...args: string[]): Promise<string>;
  /** Makes a virtual host that the user may do everything in; gives its URL. */
  addVhost(name: string): Promise<string>;
  start(): Promise<void>;
  /** SIGTERM: closes in order. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Deletes everything that it keeps; stop it first. */
  wipe(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

const user = "katari";

/** Starts a server; takes some seconds. With `tls` it has a certificate of its own for `localhost`. */
export async function startBroker(options: { readonly tls?: boolean } = {}): Promise<Broker> {
  if (!isThere) throw new Error(`There is no ${programs}/rabbitmq-server: install the package rabbitmq-server.`);
  const folder = await mkdtemp(join(tmpdir(), "katari-rabbitmq-"));
  const [port, tlsPort, distPort, epmdPort] = await freePorts();
  const data = join(folder, "data");
  const lines = [
    `listeners.tcp.default = 127.0.0.1:${port}`,
    "loopback_users = none",
    `default_user = ${user}`,
    `default_pass = ${user}`,
    "log.console = true",
    "log.console.level = warning",
    // A test machine's disk may be nearly full; the alarm is for servers.
    "disk_free_limit.absolute = 1MB",
  ];
  let certificate = "";
  if (options.tls === true) {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"];
    await promisify(execFile)("openssl", ["req", ...kind, ...subject, "-keyout", key, "-out", cert]);
    certificate = await readFile(cert, "utf8");
    lines.push(`listeners.ssl.default = 127.0.0.1:${tlsPort}`, "ssl_options.verify = verify_none");
    lines.push(`ssl_options.cacertfile = ${cert}`, `ssl_options.certfile = ${cert}`, `ssl_options.keyfile = ${key}`);
  }
  await writeFile(join(folder, "rabbitmq.conf"), `${lines.join("\n")}\n`);
  await writeFile(join(folder, "enabled_plugins"), "[].\n");
  await mkdir(join(folder, "log"));
  const environment = {
    PATH: process.env["PATH"],
    HOME: folder,
    LANG: "C.UTF-8",
    RABBITMQ_NODENAME: `katari-${port}@localhost`,
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
    RABBITMQ_CONF_ENV_FILE: join(folder, "none.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
    RABBITMQ_MNESIA_BASE: data,
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_LOGS: "-",
    RABBITMQ_PID_FILE: join(folder, "pid"),
    RABBITMQ_DIST_PORT: String(distPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_PORT: String(epmdPort),
    // Two threads that run Erlang are enough, and leave the machine to the tests.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 2:2 +sbwt none",
  };
  // Before the server, which would leave one behind as a daemon.
  const epmd = spawn("epmd", ["-port", String(epmdPort), "-address", "127.0.0.1"], { stdio: "ignore" });
  const epmdGuard = killWithUs(epmd.pid);
  const now: { server?: ChildProcess; guard?: ChildProcess } = {};

  const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = now.server;
    now.guard?.kill("SIGKILL");
    delete now.server;
    delete now.guard;
    if (child?.pid === undefined || !isRunning(child)) return;
    const exited = once(child, "exit");
    // Its group: the script, the Erlang machine and the machine's helpers.
    process.kill(-child.pid, signal);
    await exited;
    await untilRefused(port);
  };
  const broker: Broker = {
    port,
    tlsUrl: `amqps://${user}:${user}@localhost:${tlsPort}`,
    certificate,
    url({ user: who = user, password = user, vhost = "", query = "" } = {}) {
      return `amqp://${who}:${password}@127.0.0.1:${port}${vhost === "" ? "" : `/${encodeURIComponent(vhost)}`}${query}`;
    },
    async ctl(...args) {
      const { stdout } = await promisify(execFile)(join(programs, "rabbitmqctl"), args, { env: environment });
      return stdout;
    },
    async addVhost(name) {
      await broker.ctl("add_vhost", name);
      await broker.ctl("set_permissions", "-p", name, user, ".*", ".*", ".*");
      return broker.url({ vhost: name });
    },
    async start() {
      const log = createWriteStream(join(folder, "server.log"), { flags: "a" });
      const child = spawn(join(programs, "rabbitmq-server"), [], {
        cwd: folder,
        detached: true,
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      child.stdout.pipe(log, { end: false });
      child.stderr.pipe(log, { end: false });
      now.server = child;
      now.guard = killWithUs(child.pid === undefined ? undefined : -child.pid);
      while (!(await answers(port))) {
        if (!isRunning(child))
          throw new Error(`rabbitmq-server ended: ${await readFile(join(folder, "server.log"), "utf8")}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    wipe: () => rm(data, { recursive: true, force: true }),
    async remove() {
      await end("SIGKILL");
      epmdGuard.kill("SIGKILL");
      if (isRunning(epmd)) {
        const exited = once(epmd, "exit");
        epmd.kill("SIGKILL");
        await exited;
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
  try {
    await broker.start();
  } catch (error) {
    await broker.remove();
    throw error;
  }
  return broker;
}

/**
 * Kills a process (or a group, when negative) when the pipe from this process closes: a test file that is cut off by its
 * time limit is killed without a chance to clear up.
 */
function killWithUs(target: number | undefined): ChildProcess {
  const script = 'cat >/dev/null; kill -s KILL -- "$1"';
  const stdio = ["pipe", "ignore", "ignore"] as const;
  return spawn("sh", ["-c", script, "sh", String(target)], { detached: true, stdio: [...stdio] });
}

/** Ports that nobody had a moment ago. */
async function freePorts(): Promise<[number, number, number, number]> {
  const servers = await Promise.all(
    [0, 1, 2, 3].map(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const made = createServer();
          made.once("error", reject);
          made.listen(0, "127.0.0.1", () => resolve(made));
        }),
    ),
  );
  const ports = servers.map((each) => {
    const address = each.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))));
  return ports as [number, number, number, number];
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function untilRefused(port: number): Promise<void> {
  while (await answers(port)) await new Promise((resolve) => setTimeout(resolve, 50));
}
