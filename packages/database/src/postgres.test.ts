import { once } from "node:events";
import { connect as connectSocket, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { AppError } from "@katari/core";
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPassingDatabaseError } from "./availability.ts";
import type { DatabaseHandle } from "./handle.ts";
import { readMigrations } from "./migrate.ts";
import { checkServer } from "./postgres-faults.ts";
import { listenTo } from "./postgres-listener.ts";
import { connectPostgres, type PostgresOptions } from "./postgres.ts";
import { startTestPostgres, whyNoPostgres, type TestPostgres } from "./testing.ts";

const missing = whyNoPostgres();

/** A way to a server that can stop answering without closing, as a cut network does. */
async function openFrozenWay(port: number) {
  let frozen = false;
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connectSocket(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
      from.on("data", (bytes) => {
        if (!frozen) to.write(bytes);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    freeze: (on: boolean) => {
      frozen = on;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const fault = async (options: PostgresOptions): Promise<AppError> => {
  const error = await connectPostgres(options).then(
    (handle) => handle.close(),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error("it connected", { cause: error });
  return error;
};

describe.skipIf(missing !== undefined)(
  `connecting to PostgreSQL${missing === undefined ? "" : ` (${missing})`}`,
  () => {
    let server: TestPostgres;
    beforeAll(async () => {
      server = await startTestPostgres();
      await server.run("create role weak login password 'secret-word'");
      await server.run("create role crowded login password 'secret-word' connection limit 0");
      await server.run("create database bare");
      await server.run("create database latin encoding 'LATIN1' locale 'C' template template0");
    });
    afterAll(() => server.close());

    const setting = "SOME_SETTING";
    const at = (over: Parameters<TestPostgres["url"]>[0]) => ({ url: server.url(over), setting });
    const rows: readonly (readonly [string, () => PostgresOptions, AppError["code"], RegExp])[] = [
      ["a wrong password", () => at({ password: "secret-word" }), "unauthenticated", /refuses the user "katari"/],
      ["an unknown user", () => at({ user: "nobody" }), "unauthenticated", /refuses the user "nobody"/],
      ["a missing database", () => at({ database: "nowhere" }), "not-found", /no database "nowhere"/],
      [
        "a user without rights",
        () => at({ user: "weak", password: "secret-word", database: "bare" }),
        "no-permission",
        /user "weak" may not use the database "bare"/,
      ],
      [
        "a database that is not UTF-8",
        () => at({ database: "latin" }),
        "invalid-argument",
        /"latin" keeps text as LATIN1/,
      ],
      [
        "a user who has no connection left",
        () => at({ user: "crowded", password: "secret-word" }),
        "unavailable",
        /no connection left/,
      ],
      ["no address at all", () => ({ url: "here", setting }), "invalid-argument", /SOME_SETTING is not an address/],
      [
        "another program's address",
        () => ({ url: "mysql://u:secret-word@h/d", setting }),
        "invalid-argument",
        /SOME_SETTING/,
      ],
      [
        "a certificate's file that is not there",
        () => ({ url: `${server.url()}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, setting }),
        "not-found",
        /SOME_SETTING names the file \/nowhere\/ca\.pem/,
      ],
      [
        "a host without PostgreSQL",
        () => ({ url: "postgresql://u:secret-word@127.0.0.1:1/d", setting }),
        "unavailable",
        /127\.0\.0\.1:1 cannot be reached/,
      ],
      [
        "a host that does not exist",
        // RFC 6761 keeps this name for what never exists.
        () => ({ url: "postgresql://u:secret-word@database.invalid/d", setting }),
        "unavailable",
        /no host "database\.invalid"/,
      ],
      [
        "TLS where there is none",
        () => ({ url: `${server.url()}?sslmode=verify-full`, setting }),
        "unavailable",
        /does not speak TLS/,
      ],
    ];
    it.each(rows)(
      "says what is wrong with %s in one line that names the setting",
      async (_, options, code, message) => {
        const error = await fault(options());
        expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
        const line = `${error.message} ${error.cure ?? ""}`;
        expect(line).toContain(setting);
        expect(line).not.toMatch(/\n|secret-word|let-me/);
      },
    );

    it("does not wait for ever for a host that takes a connection and says nothing", async () => {
      const way = await openFrozenWay(server.port);
      way.freeze(true);
      const url = server.url().replace(`:${server.port}/`, `:${way.port}/`);
      expect(await fault({ url, setting, connectTimeoutMs: 300 })).toMatchObject({
        code: "unavailable",
        retryable: true,
        message: expect.stringContaining("cannot be reached"),
      });
      await way.close();
    });

    it("refuses a pooler that shares connections, which takes no limits for a session", async () => {
      // PgBouncer's answer to a setting that it cannot keep for one client (its manual, ignore_startup_parameters), as an
      // ErrorResponse of PostgreSQL's protocol: fields with a letter each, ended by zero, then a zero.
      const fields = "SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0";
      const length = Buffer.alloc(4);
      length.writeInt32BE(4 + fields.length);
      const pooler = createServer((near) => {
        const far = connectSocket(server.port, "127.0.0.1");
        far.on("error", () => undefined);
        near.on("error", () => undefined);
        near.on("close", () => far.destroy());
        far.pipe(near);
        near.once("data", (start) => {
          if (start.includes("statement_timeout"))
            return void near.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]));
          far.write(start);
          return near.pipe(far);
        });
      }).listen(0, "127.0.0.1");
      await once(pooler, "listening");
      const { port } = pooler.address() as AddressInfo;
      const error = await fault({ url: server.url().replace(`:${server.port}/`, `:${port}/`), setting });
      expect(error).toMatchObject({ code: "invalid-argument", cure: expect.stringContaining(setting) });
      await new Promise((resolve) => pooler.close(resolve));
    });

    it("asks for PostgreSQL 15 and for a server that takes writes", () => {
      const place = { setting, host: "h", port: 5432, user: "u", database: "d" };
      const good = { version: 150_000, encoding: "UTF8", standby: false };
      expect(() => checkServer(good, place)).not.toThrow();
      // 14.19 counts as 140019: the major version times 10,000 plus the minor one (PostgreSQL's manual, PQserverVersion).
      expect(() => checkServer({ ...good, version: 140_019 }, place)).toThrow(/h:5432 is version 14\.19/);
      expect(() => checkServer({ ...good, standby: true }, place)).toThrow(/standby/);
    });

    it("migrates once when several servers start at once, and lets a user without the right to create come later", async () => {
      await server.run("create database fresh");
      const url = server.url({ database: "fresh" });
      const handles = await Promise.all(Array.from({ length: 6 }, () => connectPostgres({ url })));
      const [first] = handles;
      if (first === undefined) throw new Error("no handle");
      const known = await readMigrations();
      const applied = await sql<{ name: string }>`select name from migrations order by number`.execute(first.db);
      expect(applied.rows.map((row) => row.name)).toEqual(known.map((migration) => migration.name));
      await Promise.all(handles.map((handle) => handle.close()));

      const all = "grant select, insert, update, delete on all tables in schema public to weak";
      await server.run(all, "fresh");
      const weak = await connectPostgres(at({ user: "weak", password: "secret-word", database: "fresh" }));
      await weak.close();

      await server.run("insert into migrations values (9999, 'of-tomorrow')", "fresh");
      expect(await fault({ url })).toMatchObject({ code: "conflict" });
    });

    it("tells the server its limits and its name, and opens no more connections than it may", async () => {
      const handle = await connectPostgres({
        url: server.url(),
        applicationName: "limits",
        maxConnections: 3,
        statementTimeoutMs: 11_000,
        lockTimeoutMs: 7_000,
        idleInTransactionTimeoutMs: 13_000,
      });
      const settings = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'client_encoding')
      order by name`.execute(handle.db);
      expect(settings.rows.map((row) => row.setting)).toEqual(["UTF8", "13000", "7000", "11000"]);
      let most = 0;
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { rows: seen } = await sql<{ n: number }>`
          select count(*) as n from pg_stat_activity, pg_sleep(0.02) where application_name = 'limits'`.execute(
            handle.db,
          );
          most = Math.max(most, seen[0]?.n ?? 0);
        }),
      );
      expect(most).toBe(3);
      await handle.close();
      await handle.close();
    });

    describe("in use", () => {
      let handle: DatabaseHandle;
      beforeAll(async () => {
        await server.run("create table counters (id integer primary key, n integer not null)");
        await server.run("insert into counters values (1, 0), (2, 0)");
        handle = await connectPostgres({
          url: server.url(),
          applicationName: "in use",
          statementTimeoutMs: 1_500,
          lockTimeoutMs: 300,
          idleInTransactionTimeoutMs: 400,
        });
      });
      afterAll(() => handle.close());
      const endAll = () =>
        server.run("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'in use'");

      it("ends statements, waits for locks and idle transactions that take too long, each as something that passes", async () => {
        const slow = sql`select pg_sleep(30)`.execute(handle.db);
        const idle = handle.transaction(async (trx) => {
          await sql`select 1`.execute(trx);
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          await sql`select 1`.execute(trx);
        });
        const holder = new Client({ connectionString: server.url() });
        await holder.connect();
        await holder.query("begin; update counters set n = n where id = 1");
        const locked = sql`update counters set n = n where id = 1`.execute(handle.db);
        const errors = await Promise.all(
          [slow, idle, locked].map((work) =>
            work.then(
              () => "done",
              (thrown: unknown) => thrown,
            ),
          ),
        );
        for (const error of errors) {
          expect(error).toMatchObject({ code: "unavailable", retryable: true });
          expect(isPassingDatabaseError(error)).toBe(true);
        }
        await holder.end();
        await sql`update counters set n = n where id = 1`.execute(handle.db);
      });

      it("lives on when its connections are cut, also between two statements of a transaction", async () => {
        const cut = handle.transaction(async (trx) => {
          await sql`update counters set n = 100 where id = 1`.execute(trx);
          await endAll();
          await new Promise((resolve) => setTimeout(resolve, 100));
          await sql`update counters set n = 100 where id = 2`.execute(trx);
        });
        await expect(cut).rejects.toSatisfy(isPassingDatabaseError);
        const counters = await sql<{ n: number }>`select n from counters order by id`.execute(handle.db);
        expect(counters.rows).toEqual([{ n: 0 }, { n: 0 }]);
      });

      it("brings both sides of a deadlock to their end", async () => {
        // Both have their first row before either asks for its second.
        let waiting = 0;
        let meet: () => void = () => undefined;
        const met = new Promise<void>((resolve) => (meet = resolve));
        let runs = 0;
        const add = (first: number, second: number) =>
          handle.transaction(async (trx) => {
            runs++;
            await sql`update counters set n = n + 1 where id = ${first}`.execute(trx);
            if (++waiting === 2) meet();
            await met;
            await sql`update counters set n = n + 1 where id = ${second}`.execute(trx);
          });
        await Promise.all([add(1, 2), add(2, 1)]);
        expect(runs).toBe(3);
        const counters = await sql<{ n: number }>`select n from counters order by id`.execute(handle.db);
        expect(counters.rows).toEqual([{ n: 2 }, { n: 2 }]);
      });

      it("hears notifications, and says that some may be missing after its connection was cut", async () => {
        const heard: (string | undefined)[] = [];
        const unlisten = await handle.listen("news", (payload) => heard.push(payload));
        await sql`select pg_notify('news', 'one')`.execute(handle.db);
        await expect.poll(() => heard).toEqual(["one"]);
        await endAll();
        await expect.poll(() => heard, { timeout: 20_000 }).toEqual(["one", undefined]);
        await sql`select pg_notify('news', 'two')`.execute(handle.db);
        await expect.poll(() => heard).toEqual(["one", undefined, "two"]);
        await unlisten();
        await unlisten();
        await sql`select pg_notify('news', 'three')`.execute(handle.db);
        expect(heard).toHaveLength(3);
      });
    });

    it("gives up a connection that does not answer any more, and hears again when the network is back", async () => {
      const way = await openFrozenWay(server.port);
      const url = server.url().replace(`:${server.port}/`, `:${way.port}/`);
      const handle = await connectPostgres({ url, statementTimeoutMs: 300, connectTimeoutMs: 300 });
      const heard: (string | undefined)[] = [];
      const config = { connectionString: url, connectionTimeoutMillis: 300, query_timeout: 300 };
      const unlisten = await listenTo(config, "news", (payload) => heard.push(payload), { pingMs: 50 });
      await sql`select 1`.execute(handle.db);
      way.freeze(true);
      await expect(sql`select 1`.execute(handle.db)).rejects.toSatisfy(isPassingDatabaseError);
      await expect(handle.transaction((trx) => sql`select 1`.execute(trx))).rejects.toSatisfy(isPassingDatabaseError);
      way.freeze(false);
      await expect.poll(() => heard, { timeout: 20_000 }).toContain(undefined);
      await sql`select pg_notify('news', 'back')`.execute(handle.db);
      await expect.poll(() => heard).toContain("back");
      await unlisten();
      await handle.close();
      await way.close();
    });

    it("goes on after the server was restarted, hard or gently", async () => {
      const handle = await connectPostgres({ url: server.url() });
      const heard: (string | undefined)[] = [];
      await handle.listen("news", (payload) => heard.push(payload));
      for (const how of ["fast", "killed"] as const) {
        heard.length = 0;
        await server.stop(how);
        await expect(sql`select 1`.execute(handle.db)).rejects.toMatchObject({ code: "unavailable", retryable: true });
        await server.start();
        await expect.poll(() => heard, { timeout: 20_000 }).toEqual([undefined]);
        await sql`select pg_notify('news', ${how})`.execute(handle.db);
        await expect.poll(() => heard).toEqual([undefined, how]);
      }
      await handle.close();
    });
  },
);
