import { createHash } from "node:crypto";
import http from "node:http";
import { problemSchema } from "@katari/contracts";
import { AppError } from "@katari/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDoor, owner, secret, type Door } from "./testing/door.ts";

let door: Door;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.server.close());

const problem = async (response: Response) => {
  expect(response.headers.get("content-type")).toContain("application/problem+json");
  return problemSchema.parse(await response.json());
};

describe("upload", () => {
  it("streams the file to the application byte for byte", async () => {
    const bytes = new Uint8Array(3_000_000).map((_, index) => (index * 31) % 251);
    const response = await door.api(`/projects?fileName=${encodeURIComponent("語り.epub")}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: bytes,
    });
    expect(response.status).toBe(201);
    const { projectId } = (await response.json()) as { projectId: string };
    expect(response.headers.get("location")).toBe(`/api/v1/projects/${projectId}`);
    const project = await door.application.getProject(owner, projectId);
    expect(project.fileName).toBe("語り.epub");
    expect(project.skipped[0]?.title).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("refuses what is too large by its declared and by its true length, with an answer that arrives", async () => {
    const small = await openDoor({ maxUploadBytes: 1_000_000 });
    try {
      const whole = await small.api("/projects?fileName=a.epub", {
        method: "POST",
        headers: { "content-type": "application/octet-stream" },
        body: new Uint8Array(5_000_000),
      });
      expect(whole.status).toBe(413);
      expect((await problem(whole)).code).toBe("too-large");
      const parts = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let index = 0; index < 50; index++) controller.enqueue(new Uint8Array(100_000));
          controller.close();
        },
      });
      const streamed = await small.api("/projects?fileName=a.epub", {
        method: "POST",
        headers: { "content-type": "application/octet-stream" },
        body: parts,
        duplex: "half",
      } as RequestInit);
      expect(streamed.status).toBe(413);
    } finally {
      await small.server.close();
    }
  });

  it("says what is wrong with the name and with a missing file", async () => {
    for (const [query, word] of [
      ["", "fileName"],
      ["?fileName=", "empty"],
      ["?fileName=..%2Fa.epub", "plain file name"],
      [`?fileName=${"a".repeat(256)}`, "255"],
    ] as const) {
      const response = await door.api(`/projects${query}`, {
        method: "POST",
        headers: { "content-type": "application/octet-stream" },
        body: "x",
      });
      const found = await problem(response);
      expect([found.status, found.code]).toEqual([400, "invalid-argument"]);
      expect(found.detail).toContain(word);
    }
    const form = await door.api("/projects?fileName=a.txt", { method: "POST", body: new FormData() });
    expect((await problem(form)).code).toBe("unsupported-format");
    const json = await door.api("/projects?fileName=a.txt", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect((await problem(json)).code).toBe("invalid-argument");
  });

  it("aborts the application's work when the client goes away", async () => {
    const ended = new Promise<unknown>((resolve) => {
      door.application.createProject = async (_caller, { body, signal }) => {
        try {
          for await (const part of body) void part;
          throw new AppError("internal", "the whole body came");
        } catch (error) {
          await new Promise((done) => setImmediate(done));
          resolve([signal?.aborted, (error as Error).message]);
          throw error;
        }
      };
    });
    const request = http.request(`${door.server.url}/api/v1/projects?fileName=a.epub`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/octet-stream",
        "content-length": 10_000_000,
      },
    });
    request.on("error", () => undefined);
    request.write(Buffer.alloc(100_000), () => request.destroy());
    expect(await ended).toEqual([true, expect.stringMatching(/aborted/)]);
  });
});

describe("projects and conversions", () => {
  it("lists, shows and deletes only the caller's own", async () => {
    const mine = door.application.addProject("local", "mine.epub").detail.id;
    const other = door.application.addProject("somebody", "other.epub").detail.id;
    const list = (await (await door.api("/projects")).json()) as { id: string }[];
    expect(list.map((one) => one.id)).toEqual([mine]);
    expect((await door.api(`/projects/${other}`)).status).toBe(404);
    expect((await door.api(`/projects/${mine}`, { method: "DELETE" })).status).toBe(204);
    expect((await problem(await door.api(`/projects/${mine}`))).code).toBe("not-found");
  });

  it("starts one conversion for one idempotency key and moves it as it is told", async () => {
    const { id } = door.application.addProject("local", "a.epub").detail;
    const start = () =>
      door.api(`/projects/${id}/conversions`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "once" },
        body: JSON.stringify({ voice: "bf_emma", speed: 1.25 }),
      });
    const first = (await (await start()).json()) as { id: string };
    const second = (await (await start()).json()) as { id: string };
    expect(second.id).toBe(first.id);
    const states: string[] = [];
    for (const command of ["pause", "resume", "cancel"]) {
      const response = await door.api(`/conversions/${first.id}/${command}`, { method: "POST" });
      states.push(((await response.json()) as { state: string }).state);
    }
    expect(states).toEqual(["paused", "running", "cancelled"]);
    const again = await door.api(`/conversions/${first.id}/retry`, { method: "POST" });
    expect((await problem(again)).status).toBe(409);
  });

  it("names the field that is not valid", async () => {
    const { id } = door.application.addProject("local", "a.epub").detail;
    const send = (body: string) =>
      door.api(`/projects/${id}/conversions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
    expect((await problem(await send('{"speed": 9}'))).detail).toContain("speed");
    expect((await problem(await send("{"))).code).toBe("invalid-argument");
    expect((await problem(await send('{"voice":"nobody"}'))).code).toBe("unknown-voice");
  });

  it("pages segments and passes on where somebody listens", async () => {
    const project = door.application.addProject("local", "a.epub");
    const { id } = project.detail;
    const names = ["s1", "s2", "s3"];
    project.segments.set(
      "d1",
      names.map((name) => ({ id: name, blockId: "b", blockKind: "paragraph", text: name, state: "waiting" })),
    );
    const first = await (await door.api(`/projects/${id}/documents/d1/segments?limit=2`)).json();
    expect(first).toMatchObject({ segments: [{ id: "s1" }, { id: "s2" }], next: "s2" });
    const rest = await (await door.api(`/projects/${id}/documents/d1/segments?limit=2&after=s2`)).json();
    expect(rest).toEqual({ segments: [expect.objectContaining({ id: "s3" })] });
    expect((await door.api(`/projects/${id}/documents/d1/segments?limit=0`)).status).toBe(400);
    // PostgreSQL takes no NUL in a text, so it may not come as far as there.
    expect((await door.api(`/projects/${id}/documents/d1/segments?after=s%00`)).status).toBe(400);
    expect((await door.api(`/projects/${id}/segments/s2/listen`, { method: "POST" })).status).toBe(204);
    expect(project.listened).toEqual(["s2"]);
  });

  it("hands on chosen documents for the completeness report", async () => {
    const { id } = door.application.addProject("local", "a.epub").detail;
    let asked: readonly string[] | undefined;
    const report = door.application.getCompleteness.bind(door.application);
    door.application.getCompleteness = (caller, projectId, documents) => {
      asked = documents;
      return report(caller, projectId, documents);
    };
    expect((await door.api(`/projects/${id}/completeness?documents=a,b&documents=c`)).status).toBe(200);
    expect(asked).toEqual(["a", "b", "c"]);
  });
});

describe("problems", () => {
  it("answers unknown routes with one, in the API and outside", async () => {
    expect((await problem(await door.api("/nothing"))).code).toBe("not-found");
    expect((await problem(await fetch(`${door.server.url}/nothing`))).code).toBe("not-found");
  });

  it("never tells about insides", async () => {
    door.application.listProjects = async () => {
      throw Object.assign(new Error("ENOENT: no such file, open '/secret/path'"), {
        code: "ENOENT",
        path: "/secret/path",
      });
    };
    const response = await door.api("/projects");
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toMatch(/secret|ENOENT|stack/);
    expect(JSON.stringify(text)).toContain("internal");
    expect(door.log.some((line) => line.level === "error")).toBe(true);
    door.application.listProjects = async () => {
      throw new AppError("internal", "Unexpected value in table secrets");
    };
    expect(await (await door.api("/projects")).text()).not.toContain("secrets");
  });

  it("keeps what the application says, with its cure", async () => {
    const project = door.application.addProject("local", "a.epub");
    project.detail.voicedSegments = 3;
    const response = await door.api(`/projects/${project.detail.id}/exports`, { method: "POST" });
    expect(await problem(response)).toMatchObject({
      type: "urn:katari:problem:incomplete",
      status: 409,
      detail: "3 sentences have no sound yet.",
      cure: expect.stringContaining("Wait"),
    });
  });
});

describe("health and metrics", () => {
  it("answers probes without a session and metrics only with one", async () => {
    const metered = await openDoor({ metrics: { contentType: "text/plain", metrics: async () => "katari_up 1\n" } });
    try {
      const live = await fetch(`${metered.server.url}/health/live`);
      expect(await live.json()).toEqual({ status: "live", version: "0.1.0" });
      expect((await fetch(`${metered.server.url}/health/ready`)).status).toBe(200);
      expect((await fetch(`${metered.server.url}/metrics`)).status).toBe(401);
      const headers = { authorization: `Bearer ${secret}` };
      expect(await (await fetch(`${metered.server.url}/metrics`, { headers })).text()).toBe("katari_up 1\n");
      metered.application.getSystem = () => Promise.reject(new Error("the database is away at 10.0.0.7"));
      const ready = await fetch(`${metered.server.url}/health/ready`);
      expect(ready.status).toBe(503);
      expect(await ready.text()).not.toContain("10.0.0.7");
    } finally {
      await metered.server.close();
    }
  });

  it("says that a port is taken", async () => {
    await expect(openDoor({ port: door.server.port })).rejects.toMatchObject({ code: "port-taken" });
  });
});
