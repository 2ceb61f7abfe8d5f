import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePlace, type Place } from "./support/katari.ts";
import { startStudio, type Studio } from "./support/studio.ts";

describe("the studio's door", () => {
  let place: Place;
  let studio: Studio;
  beforeAll(async () => {
    place = await makePlace();
    studio = await startStudio(place);
  });
  afterAll(async () => {
    await studio.stop();
    await place.remove();
  });

  /** Asks with raw headers, which `fetch` would not let through. */
  const status = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${studio.url}/api/v1/projects`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.once("error", reject);
      asked.end();
    });

  it("is shut for other names and other pages, whatever they know", async () => {
    const authorization = `Bearer ${new URL(studio.openUrl).searchParams.get("token") ?? ""}`;
    const { host, port } = new URL(studio.url);
    expect(await status({ authorization })).toBe(200);
    expect(await status({ authorization, origin: studio.url })).toBe(200);
    expect(await status({ authorization, host: `evil.example:${port}` })).toBe(403);
    expect(await status({ authorization, host: "127.0.0.1.evil.example" })).toBe(403);
    expect(await status({ authorization, host, origin: "http://evil.example" })).toBe(403);
    expect(await status({ authorization, host, origin: `http://127.0.0.1:${Number(port) - 1}` })).toBe(403);
    expect(await status({ authorization, host, origin: "null" })).toBe(403);
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer wrong" })).toBe(401);
  });
});
