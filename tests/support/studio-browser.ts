import axe from "axe-core";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page, type Request } from "playwright-core";
import { repository } from "./katari.ts";

export type UiLanguage = "en" | "ja";
/** Colour scheme and width of a window. */
export type Look = readonly [scheme: "light" | "dark", width: 1280 | 390];

/** Where screenshots are kept for people to look at. */
const artifacts = join(repository, "artifacts", "studio");
const probe = fileURLToPath(new URL("page-probe.js", import.meta.url));

/** Real Chromium, without the calls home that it makes by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["KATARI_CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A person's window, and what a story must know of what went on in it. */
export interface StudioWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly language: UiLanguage;
  /** Addresses that were asked for at any other origin than the studio's. */
  readonly foreign: readonly string[];
  /** What the page wrote to the console as an error, and what it threw. */
  readonly errors: string[];
  /** Event streams that are open now. */
  readonly streams: ReadonlySet<Request>;
  /** How often a document was loaded: more than before means that the page was left or loaded again. */
  loads(): number;
}

/** Opens a window with a session of its own; `origin` is the only one that it may talk to. */
export async function openWindow(browser: Browser, language: UiLanguage, origin: string): Promise<StudioWindow> {
  const context = await browser.newContext({
    locale: language === "en" ? "en-GB" : "ja-JP",
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
  });
  context.setDefaultTimeout(30_000);
  await context.addInitScript({ path: probe });
  const page = await context.newPage();
  const foreign: string[] = [];
  const errors: string[] = [];
  const streams = new Set<Request>();
  let loads = 0;
  context.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== "blob:" && asked !== origin) foreign.push(request.url());
    if (request.resourceType() === "eventsource") streams.add(request);
    if (request.isNavigationRequest()) loads++;
  });
  const closed = (request: Request): void => {
    streams.delete(request);
  };
  context.on("requestfinished", closed);
  context.on("requestfailed", closed);
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  return { page, context, language, foreign, errors, streams, loads: () => loads };
}

/** The sound that plays now; null while all is silent. */
export function playing(page: Page): Promise<{ url: string; atSeconds: number } | null> {
  return page.evaluate("katariProbe.playing()");
}

/** Everything that is to be read in the page's own language; not what is the book's. */
export function visibleTexts(page: Page): Promise<string[]> {
  return page.evaluate("katariProbe.texts()");
}

/** Drops a file on an element, as a drag from the desktop does. */
export async function dropFile(page: Page, target: string, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `katariProbe.dragged(${JSON.stringify(name)}, ${JSON.stringify(text)})`,
  );
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent(target, type, { dataTransfer });
}

/** How far the page is wider than its window, in CSS pixels. */
const overflow = (page: Page): Promise<number> => page.evaluate("katariProbe.overflow()");

/** What axe-core finds wrong on the page as it is now. */
async function accessibilityFindings(page: Page): Promise<unknown[]> {
  await page.evaluate(axe.source);
  return page.evaluate("katariProbe.findings()");
}

/**
 * Shows the page in each look, keeps a picture of it, and gives what is wrong with it there: what axe-core finds and
 * what sticks out of the window.
 */
export async function inspect(
  { page, language }: StudioWindow,
  name: string,
  looks: readonly Look[],
): Promise<unknown[]> {
  await mkdir(artifacts, { recursive: true });
  const wrong: unknown[] = [];
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    await page.evaluate("scrollTo(0, 0)");
    await page.screenshot({ path: join(artifacts, `${name}-${language}-${colorScheme}-${width}.png`) });
    const look = `${name} ${colorScheme} ${width}`;
    const findings = await accessibilityFindings(page);
    if (findings.length > 0) wrong.push({ look, findings });
    const tooWide = await overflow(page);
    if (tooWide > 0) wrong.push({ look, tooWide });
  }
  const [first] = looks;
  if (first) {
    await page.emulateMedia({ colorScheme: first[0] });
    await page.setViewportSize({ width: first[1], height: 900 });
  }
  return wrong;
}
