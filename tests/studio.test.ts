import type { Conversion, Export, ProjectDetail, SegmentPage } from "@katari/contracts";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { en } from "../apps/studio/src/texts/en.ts";
import { ja } from "../apps/studio/src/texts/ja.ts";
import { isJapaneseUi } from "./support/japanese-ui.ts";
import { makePlace, type Place } from "./support/katari.ts";
import {
  dropFile,
  inspect,
  openBrowser,
  openWindow,
  playing,
  visibleTexts,
  type Look,
  type StudioWindow,
} from "./support/studio-browser.ts";
import { startStudio, until, type Studio } from "./support/studio.ts";
import { installTestVoice } from "./support/test-voice.ts";

const allLooks: readonly Look[] = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
  ["dark", 390],
];
const twoLooks: readonly Look[] = [
  ["light", 1280],
  ["dark", 390],
];

const chapters = ["The Lamp", "The Bridge", "The Morning"];
const sentencesEach = 60;
/** Each sentence is a paragraph with words of its own, so that each is an utterance of its own. */
const book = [
  "---\ntitle: The Lamplighter\nauthor: A. Writer\nlanguage: en\n---\n",
  ...chapters.flatMap((title) => [
    `# ${title}\n`,
    ...Array.from({ length: sentencesEach - 1 }, (_, at) => `${title} had a step, number ${at + 1}.\n`),
  ]),
].join("\n");
/** With its heading every chapter has a sentence more than paragraphs. */
const total = chapters.length * sentencesEach;

/** What stands in the page as it is in every language: names, and what people gave theirs. */
const names = [
  "Katari",
  "日本語",
  "The Lamplighter",
  "A. Writer",
  "report",
  "report.pdf",
  "M4B",
  "MP3",
  "FLAC",
  "WAV",
  ...chapters,
];

/** Each language has speeds of its own: what the other has narrated would be ready at once. */
const languages = [
  { language: "en", ui: en, speed: 2, otherSpeed: 0.9 },
  { language: "ja", ui: ja, speed: 1.9, otherSpeed: 0.8 },
] as const;

let place: Place;
let studio: Studio;
let browser: Browser;
beforeAll(async () => {
  place = await makePlace({ ownCache: true });
  await installTestVoice(place);
  studio = await startStudio(place, {
    // The default voice cannot be had: the studio has to do without, and says so.
    PIP_NO_INDEX: "1",
    PIP_INDEX_URL: "http://127.0.0.1:9/simple",
    npm_config_registry: "http://127.0.0.1:9",
    HF_ENDPOINT: "http://127.0.0.1:9",
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await studio.stop();
  await place.remove();
});

describe.each(languages)(
  "the studio in a browser ($language)",
  { timeout: 180_000 },
  ({ language, ui, speed, otherSpeed }) => {
    let window: StudioWindow;
    let page: Page;
    let projectId = "";
    beforeAll(async () => {
      window = await openWindow(browser, language, studio.url);
      ({ page } = window);
    });
    afterAll(() => window.context.close());

    const projectPage = (): string => `${studio.url}/projects/${projectId}`;
    const project = (): Promise<ProjectDetail> => studio.api(`/projects/${projectId}`);
    const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
    /** The line of the narration's panel that names its state; a chapter's may use the same word. */
    const stateLine = (state: keyof typeof en.narration.state): Locator =>
      page
        .getByRole("region", { name: ui.narration.title, exact: true })
        .getByText(ui.narration.state[state], { exact: true });
    const chapterLines = (): Promise<number[]> =>
      Promise.all(
        chapters.map(async (name) =>
          Number(await page.getByRole("progressbar", { name, exact: true }).getAttribute("aria-valuenow")),
        ),
      );
    const expectCatalogueOnly = async (): Promise<void> => {
      if (language === "ja")
        expect((await visibleTexts(page)).filter((text) => !isJapaneseUi(text, names))).toEqual([]);
    };
    /** Sentences that have their sound, each asked for by itself. */
    const countReady = async (): Promise<number> => {
      let ready = 0;
      for (const { id } of (await project()).documents) {
        const { segments } = await studio.api<SegmentPage>(
          `/projects/${projectId}/documents/${id}/segments?limit=1000`,
        );
        ready += segments.filter(({ state }) => state === "ready").length;
      }
      return ready;
    };
    const latest = async (): Promise<Conversion> => {
      const { conversions } = await project();
      const [newest] = conversions.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
      if (!newest) throw new Error("no conversion");
      return newest;
    };

    it("is locked without its link, and with a wrong one", async () => {
      await page.goto(studio.url);
      await page.getByRole("heading", { name: ui.locked.title }).waitFor();
      expect(await inspect(window, "locked-no-session", allLooks)).toEqual([]);
      await expectCatalogueOnly();
      const answer = await page.goto(`${studio.url}/open?token=wrong`);
      expect(answer?.status()).toBe(401);
      await page.getByRole("heading", { name: ui.locked.wrongTitle }).waitFor();
      expect(await inspect(window, "locked-wrong-link", twoLooks)).toEqual([]);
      await expectCatalogueOnly();
      // Chromium itself notes every refused request.
      expect(window.errors.splice(0).filter((error) => !/status of 401/u.test(error))).toEqual([]);
    });

    it("opens with the link of the first run", async () => {
      await page.goto(studio.openUrl);
      await page.getByText(ui.library.dropTitle).waitFor();
      // The token is not left in the address, where it would be seen and remembered.
      expect(page.url()).toBe(`${studio.url}/`);
      expect(await page.evaluate("document.documentElement.lang")).toBe(language);
      expect(await inspect(window, "library-start", allLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it("says what is wrong with a file that it cannot read, and what to do", async () => {
      const file = join(place.folder, "report.pdf");
      await writeFile(file, "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n");
      await page.locator("input[type=file]").setInputFiles(file);
      const alert = page.getByRole("alert");
      await alert.waitFor();
      await page.waitForURL(/\/projects\//u);
      if (language === "ja") {
        expect(await alert.innerText()).toContain("この形式のファイルには対応していません。");
        expect(await alert.innerText()).toContain("EPUB、Markdown、テキストのいずれかを選んでください。");
      } else expect(await alert.innerText()).toMatch(/PDF.*EPUB/su);
      expect(await inspect(window, "project-refused", allLooks)).toEqual([]);
      await expectCatalogueOnly();
      expect(window.errors.splice(0).filter((error) => !/status of 4\d\d/u.test(error))).toEqual([]);
    });

    it("takes a book and tells what it found in it", async () => {
      await page.goto(studio.url);
      const name = `lamplighter-${language}.md`;
      if (language === "en") await dropFile(page, "section:has(input[type=file]) > div", name, book);
      else {
        const file = join(place.folder, name);
        await writeFile(file, book);
        const chooser = page.waitForEvent("filechooser");
        await page.getByText(ui.library.choose).click();
        await (await chooser).setFiles(file);
      }
      await page.waitForURL(/\/projects\//u);
      projectId = page.url().split("/").at(-1) ?? "";
      await page.getByRole("heading", { name: "The Lamplighter", level: 1 }).waitFor();
      for (const name of chapters) await page.getByRole("progressbar", { name, exact: true }).waitFor();
      expect(await page.getByRole("progressbar").count()).toBe(chapters.length);
      // The head of the file is left out, by name, and nothing else is.
      await page.getByText(ui.leftOut.title).click();
      await page.getByText(ui.leftOut.rule["front-matter"], { exact: true }).waitFor();
      // Only the test voice is here; the one that could not be had is shown as what it is.
      const voices = page.getByRole("combobox", { name: ui.narration.voice });
      expect(await voices.inputValue()).toBe("test");
      expect(
        await voices.locator(`optgroup[label="${ui.narration.notInstalled}"] option[value=af_heart]`).count(),
      ).toBe(1);
      expect(await inspect(window, "project-new", allLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it("narrates with the chosen voice and speed, and shows by events how each chapter goes on", async () => {
      await page.getByRole("combobox", { name: ui.narration.voice }).selectOption("test");
      await page.getByRole("slider", { name: ui.narration.speed }).fill(String(speed));
      const loads = window.loads();
      const seen: number[][] = [];
      const watch = async (): Promise<boolean> => {
        seen.push(await chapterLines());
        return (seen.at(-1) ?? []).reduce((sum, one) => sum + one, 0) > 20;
      };
      await button(ui.narration.start).click();
      await until(async () => ((await watch()) ? true : undefined), "a chapter to move");
      await button(ui.narration.pause).click();
      await stateLine("paused").waitFor();
      expect(seen.flat().some((line) => line > 0 && line < 100)).toBe(true);
      expect(window.streams.size).toBe(1);
      expect(window.loads()).toBe(loads);
      const paused = await latest();
      expect(paused).toMatchObject({ state: "paused", voice: "test", speed });
      const readySegments = await countReady();
      expect(readySegments).toBeGreaterThan(0);
      expect(readySegments).toBeLessThan(total);
      // The last progress may be on its way still.
      await until(async () => ((await shownReady(page)) === readySegments ? true : undefined), "the shown count");
      expect(await inspect(window, "project-paused", allLooks)).toEqual([]);
      await expectCatalogueOnly();

      await page.reload();
      await stateLine("paused").waitFor();
      expect(await shownReady(page)).toBe(readySegments);
      expect((await latest()).id).toBe(paused.id);

      await button(ui.narration.resume).click();
      await button(ui.narration.pause).click();
      await stateLine("paused").waitFor();
      expect((await latest()).id).toBe(paused.id);
    });

    it("plays what is ready while the rest is not, and goes from sentence to sentence", async () => {
      await page.getByRole("link", { name: ui.project.listenTo.replace("{{title}}", "The Lamp"), exact: true }).click();
      await button(ui.reader.play).click();
      const [first] = (await project()).documents;
      const { segments } = await studio.api<SegmentPage>(`/projects/${projectId}/documents/${first?.id}/segments`);
      for (const at of [0, 1]) {
        await page.locator(`[data-index="${at}"][aria-current=true]`).waitFor();
        const sound = await until(async () => {
          const now = await playing(page);
          return now?.url.includes(segments[at]?.id ?? "?") === true ? now : undefined;
        }, "the sentence to sound");
        await until(async () => {
          const now = await playing(page);
          return now && now.url === sound.url && now.atSeconds > sound.atSeconds ? true : undefined;
        }, "the sound to go on");
      }
      await button(ui.reader.pause).click();
      expect(await playing(page)).toBeNull();
      expect(await inspect(window, "reader-paused", allLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it("is played by keys alone", async () => {
      const focused = (): Promise<string | null> => page.evaluate("document.activeElement?.dataset.index ?? null");
      const current = (): Promise<string | null> =>
        page.evaluate("document.querySelector('[aria-current=true]')?.dataset.index ?? null");
      await page.reload();
      await page.locator('[data-index="0"]').waitFor();
      for (let presses = 0; (await focused()) === null && presses < 20; presses++) await page.keyboard.press("Tab");
      expect(await focused()).toBe("0");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      expect(await focused()).toBe("2");
      await page.keyboard.press("ArrowUp");
      expect(await focused()).toBe("1");
      await page.keyboard.press("Enter");
      await until(async () => (await playing(page)) ?? undefined, "sound after Enter");
      await page.keyboard.press("Space");
      await button(ui.reader.play).waitFor();
      expect(await playing(page)).toBeNull();
      const at = Number(await current());
      expect(at).toBeGreaterThanOrEqual(1);
      await page.keyboard.press("Space");
      await until(async () => (await playing(page)) ?? undefined, "sound after the space bar");
      // The player's own buttons come after the text.
      await button(ui.reader.next).focus();
      await page.keyboard.press("Enter");
      await until(async () => (Number(await current()) > at ? true : undefined), "the next sentence");
      await button(ui.reader.pause).focus();
      await page.keyboard.press("Enter");
      await button(ui.reader.play).waitFor();
      expect(await playing(page)).toBeNull();
    });

    it("waits for a sentence that is not ready, and plays it when it has come", async () => {
      const last = (await project()).documents.at(-1);
      await page.goto(`${projectPage()}/documents/${last?.id}`);
      const sentence = page.locator(`[data-index="${sentencesEach - 1}"]`);
      await sentence.click();
      await page.getByText(ui.reader.waiting).waitFor();
      expect(await inspect(window, "reader-waiting", twoLooks)).toEqual([]);
      await expectCatalogueOnly();
      // Somebody lets it go on in another window.
      await studio.api(`/conversions/${(await latest()).id}/resume`, { method: "POST" });
      await until(async () => (await playing(page)) ?? undefined, "the sentence to sound");
      expect(await sentence.getAttribute("aria-current")).toBe("true");
    });

    it("ends whole, and the page shows it by itself", async () => {
      await page.goto(projectPage());
      const loads = window.loads();
      await stateLine("succeeded").waitFor({ timeout: 150_000 });
      await until(
        async () => ((await chapterLines()).every((one) => one === 100) ? true : undefined),
        "the last lines",
      );
      expect(await shownReady(page)).toBe(total);
      expect(window.loads()).toBe(loads);
      expect(await inspect(window, "project-finished", allLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it.each(["m4b", "mp3"] as const)("makes an audiobook file (%s) that is downloaded whole", async (format) => {
      await page.getByRole("radio", { name: format.toUpperCase() }).click();
      await button(ui.exports.make).click();
      const line = page.getByRole("progressbar", { name: format.toUpperCase() });
      await line.waitFor();
      if (format === "m4b") expect(await inspect(window, "project-exporting", twoLooks)).toEqual([]);
      const made = await until(async () => {
        const found = (await project()).exports.find((one: Export) => one.format === format);
        return found?.state === "ready" ? found : undefined;
      }, "the file");
      const download = page.waitForEvent("download");
      await page
        .getByRole("link", { name: ui.exports.downloadName.replace("{{name}}", made.fileName ?? ""), exact: true })
        .click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`The Lamplighter.${format}`);
      const bytes = await readFile(await file.path());
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(made.sha256);
      expect(bytes.length).toBe(made.sizeBytes);
      if (format === "mp3") expect(await inspect(window, "project-files", allLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it("stops a narration of chosen chapters", async () => {
      await page.getByText(ui.narration.changeVoice).click();
      await page.getByRole("slider", { name: ui.narration.speed }).fill(String(otherSpeed));
      await page.locator("summary").filter({ hasText: ui.narration.allChapters }).click();
      await page.getByRole("checkbox", { name: "The Bridge" }).click();
      expect(await inspect(window, "project-choosing", allLooks)).toEqual([]);
      await expectCatalogueOnly();
      await button(ui.narration.startAgain).click();
      await button(ui.narration.cancel).click();
      await stateLine("cancelled").waitFor();
      const { state, documents } = await latest();
      const all = (await project()).documents.map((one) => one.id);
      expect(state).toBe("cancelled");
      expect(documents).toEqual([all[0], all[2]]);
      expect(await inspect(window, "project-stopped", twoLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it("shows the library with its books", async () => {
      await page.goto(studio.url);
      await page.getByRole("heading", { name: "The Lamplighter" }).first().waitFor();
      expect(await inspect(window, "library-books", allLooks)).toEqual([]);
      await expectCatalogueOnly();
    });

    it("never asked any other machine for anything, and met no error", () => {
      expect(window.foreign).toEqual([]);
      expect(window.errors).toEqual([]);
    });
  },
);

/** The count that the narration's panel shows: `ready / total`. */
async function shownReady(page: Page): Promise<number> {
  const text = await page.getByText(/^[\d,]+ \/ [\d,]+$/u).innerText();
  return Number(text.split("/")[0]?.replaceAll(",", ""));
}
