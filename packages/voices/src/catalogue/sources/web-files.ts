import { AppError } from "@katari/core";
import type { Asset, WebPlace } from "../asset-group.ts";
import type { Environment } from "../cache-folder.ts";
import { downloadFile } from "../http-download.ts";
import type { AssetSource } from "./source.ts";

const standardHub = "https://huggingface.co";

/** Single files from a Hugging Face hub: the public one, or the mirror that `HF_ENDPOINT` names. */
export const huggingFaceSource = webFilesSource("Hugging Face", "hugging-face");

/** Single files from the addresses that the assets' own projects publish. */
export const projectSource = webFilesSource("the project's own releases", "project");

function webFilesSource(name: string, place: WebPlace["place"]): AssetSource {
  const placesOf = (asset: Asset): readonly WebPlace[] => asset.web.filter((candidate) => candidate.place === place);
  return {
    name,
    serves: (group) => group.assets.every((asset) => placesOf(asset).length > 0),
    async fetch(group, context) {
      let doneBytes = 0;
      for (const asset of group.assets) {
        const before = doneBytes;
        const counting = { ...context, onBytes: (bytes: number) => context.onBytes(before + bytes) };
        const failures: string[] = [];
        for (const candidate of placesOf(asset)) {
          if (await context.store.has(asset)) break;
          try {
            await downloadFile(
              addressOf(candidate, context.environment),
              asset,
              counting,
              headersOf(candidate, context.environment),
            );
          } catch (error) {
            context.signal?.throwIfAborted();
            const known = AppError.from(error);
            if (known.code === "disk-full") throw known;
            failures.push(known.message);
          }
        }
        if (!(await context.store.has(asset)))
          throw new AppError("voice-unavailable", [...new Set(failures)].join("; ") || `${asset.name} is nowhere`);
        doneBytes += asset.sizeBytes;
      }
    },
  };
}

function addressOf(place: WebPlace, environment: Environment): string {
  if (place.place === "project") return place.url;
  const hub = (environment["HF_ENDPOINT"] || standardHub).replace(/\/+$/u, "");
  return `${hub}/${place.repository}/resolve/main/${place.path}`;
}

function headersOf(place: WebPlace, environment: Environment): Readonly<Record<string, string>> {
  const token = environment["HF_TOKEN"];
  return place.place === "hugging-face" && token ? { authorization: `Bearer ${token}` } : {};
}
