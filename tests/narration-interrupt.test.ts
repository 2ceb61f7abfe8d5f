import type { ChildProcess } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { finished, katariSucceeds, makePlace, startKatari, type Place } from "./support/katari.ts";
import { counter, kill, objects, startStudio, until } from "./support/studio.ts";
import { installTestVoice } from "./support/test-voice.ts";

/** Long enough that the test voice needs a while; every sentence has its own words, so one take is one inference. */
const story = Array.from(
  { length: 150 },
  (_, at) =>
    `Paragraph ${at + 1} of the long story begins here, and it goes on for quite a while until it ends. It ends.`,
).join("\n\n");

describe("Ctrl-C during a narration", () => {
  let place: Place;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    place = await makePlace({ ownCache: true });
    await installTestVoice(place);
    await writeFile(join(place.folder, "story.txt"), story);
  });
  afterEach(async () => {
    if (child?.exitCode === null) kill(-(child.pid ?? 0));
    await place.remove();
  });

  const args = ["narrate", "story.txt", "--voice", "test", "-o", "story.wav"];
  const inFolder = async (): Promise<string[]> => (await readdir(place.folder)).filter((name) => /story/u.test(name));

  it("stops cleanly, leaves nothing half done, and the next run goes on", async () => {
    child = startKatari(args, place);
    const end = finished(child);
    const group = child.pid ?? 0;
    await until(async () => ((await objects(place, "takes")).length >= 5 ? true : undefined), "the first takes");
    // A terminal sends the signal to every process of the tree at once.
    process.kill(-group, "SIGINT");
    const { code, stdout, stderr } = await end;
    expect(code).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/run the same command again: it goes on where it was/iu);
    expect(await inFolder()).toEqual(["story.txt"]);
    expect(await groupMembers(group)).toEqual([]);

    // The studio only so that its model server's own counter can be asked.
    const before = (await objects(place, "takes")).length;
    const studio = await startStudio(place);
    try {
      expect(await katariSucceeds(args, place)).toBe(`${join(place.folder, "story.wav")}\n`);
      const takes = (await objects(place, "takes")).length;
      expect(takes).toBeGreaterThan(before);
      expect(counter(await studio.modelMetrics(), "katari_inference_total")).toBe(takes - before);
    } finally {
      await studio.stop();
    }
    expect(await inFolder()).toEqual(["story.txt", "story.wav"]);
  });
});

/** Processes of a process group, which the group's leader may have left behind. */
async function groupMembers(group: number): Promise<number[]> {
  const members: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/u.test(name)) continue;
    const status = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // Fields of proc(5) after the name in brackets: state, parent, group.
    const [state, , pgrp] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    if (Number(pgrp) === group && state !== "Z") members.push(Number(name));
  }
  return members;
}
