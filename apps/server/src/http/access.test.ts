import http from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccessToken } from "./access-token.ts";
import { openDoor, owner, secret, type Door } from "./testing/door.ts";

let door: Door;
beforeEach(async () => {
  door = await openDoor({ hostNames: ["katari.example"], studioFolder: import.meta.dirname });
});
afterEach(() => door.server.close());

/** A request with headers that `fetch` does not let one set (`Host`). */
function knock(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(door.server.url + path, { method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (body += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on("error", reject);
    request.end();
  });
}

const bearer = { authorization: `Bearer ${secret}` };

describe("session", () => {
  it("lets nobody into the API without a token or a session", async () => {
    for (const path of ["/projects", "/voices", "/system", "/projects/p/events", "/exports/e/file", "/nothing"]) {
      const answer = await knock(`/api/v1${path}`);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
    }
    expect((await knock("/api/v1/voices", { authorization: "Bearer wrong-token-of-somebody" })).status).toBe(401);
    expect((await knock("/api/v1/voices", { authorization: `Basic ${btoa(`a:${secret}`)}` })).status).toBe(401);
    expect((await knock("/api/v1/voices", bearer)).status).toBe(200);
  });

  it("opens with the first-run link, and the cookie is not the token", async () => {
    const opened = await knock(`/open?token=${secret}`);
    expect([opened.status, opened.headers.location]).toEqual([303, "/"]);
    const cookie = opened.headers["set-cookie"]?.[0] ?? "";
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).not.toContain(secret);
    const pair = cookie.split(";")[0] ?? "";
    expect((await knock("/api/v1/voices", { cookie: pair })).status).toBe(200);
    expect((await knock("/api/v1/voices", { cookie: `${pair}x` })).status).toBe(401);
    const value = pair.split("=")[1] ?? "";
    expect((await knock("/api/v1/voices", { authorization: `Bearer ${value}` })).status).toBe(401);
  });

  it("refuses a wrong link without a cookie", async () => {
    for (const query of ["", "?token=", "?token=wrong", `?token=${secret}x`, `?token=${secret}&token=${secret}`]) {
      const answer = await knock(`/open${query}`);
      expect([query, answer.status, answer.headers["set-cookie"]]).toEqual([query, 401, undefined]);
    }
  });

  it("never logs the token", async () => {
    door.application.listVoices = () => Promise.reject(new Error("broken"));
    await knock(`/open?token=${secret}`, { origin: "http://evil.example" });
    await knock(`/nothing?token=${secret}`);
    await knock("/api/v1/voices", bearer);
    expect(door.log.length).toBeGreaterThan(2);
    expect(JSON.stringify(door.log)).not.toContain(secret);
  });

  it("refuses a secret that is easily guessed", () => {
    expect(() => createAccessToken({ secret: "short", caller: owner })).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });
});

describe("origin", () => {
  it("answers only to its own names (DNS rebinding)", async () => {
    const { port } = door.server;
    const status = async (host: string) => (await knock("/api/v1/voices", { ...bearer, host })).status;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
      expect([host, await status(host)]).toEqual([host, 200]);
    for (const host of ["katari.example", `katari.example:${port}`])
      expect([host, await status(host)]).toEqual([host, 200]);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
    ])
      expect([host, await status(host)]).toEqual([host, 403]);
    for (const path of ["/", `/open?token=${secret}`, "/health/live"])
      expect([path, (await knock(path, { host: "evil.example" })).status]).toEqual([path, 403]);
  });

  it("refuses requests of other pages (CSRF), also of other ports", async () => {
    const { port } = door.server;
    const status = async (headers: Record<string, string>, method = "POST") =>
      (await knock("/api/v1/conversions/c/cancel", { ...bearer, ...headers }, method)).status;
    // 404: it came through, and there is no such conversion.
    expect(await status({ origin: `http://127.0.0.1:${port}` })).toBe(404);
    expect(await status({ origin: `http://localhost:${port}` })).toBe(404);
    expect(await status({ origin: "https://katari.example" })).toBe(404);
    expect(await status({ origin: `http://127.0.0.1:${port + 1}` })).toBe(403);
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
    expect(await status({ origin: `http://evil.example@127.0.0.1:${port}` })).toBe(403);
    expect(await status({ "sec-fetch-site": "same-origin" })).toBe(404);
    expect(await status({ "sec-fetch-site": "same-site" })).toBe(403);
    expect(await status({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).toBe(403);
  });

  it("lets a link from elsewhere open a page, but no data", async () => {
    const from = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await knock(`/open?token=${secret}`, from)).status).toBe(303);
    expect((await knock("/api/v1/exports/e/file", { ...bearer, ...from })).status).toBe(403);
    expect((await knock("/", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).status).toBe(403);
  });

  it("does not read bodies that a form of another page can send", async () => {
    const project = door.application.addProject("local", "a.epub").detail.id;
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const answer = await door.api(`/projects/${project}/conversions`, {
        method: "POST",
        headers: { "content-type": type },
        body: '{"voice":"af_heart"}',
      });
      expect([type, answer.status]).toEqual([type, 415]);
    }
  });

  it("sends strict headers with every answer, streams and refusals too", async () => {
    const project = door.application.addProject("local", "a.epub").detail.id;
    const events = new AbortController();
    const stream = await door.api(`/projects/${project}/events`, { signal: events.signal });
    const answers = [
      stream,
      await door.api("/voices"),
      await fetch(`${door.server.url}/api/v1/voices`),
      await fetch(`${door.server.url}/open`),
      await fetch(`${door.server.url}/nothing`),
    ];
    for (const { headers } of answers) {
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    events.abort();
  });
});
