import { AppError } from "@katari/core";
import type { HubPlace } from "../asset-group.ts";
import type { Environment } from "../cache-folder.ts";
import { downloadFile } from "../http-download.ts";
import type { AssetSource } from "./source.ts";

const standardHub = "https://huggingface.co";

/** Single files from a Hugging Face hub: the public one, or the mirror that `HF_ENDPOINT` names. */
export const huggingFaceSource: AssetSource = {
  name: "Hugging Face",
  serves: (group) => group.assets.every((asset) => asset.hub.length > 0),
  async fetch(group, context) {
    let doneBytes = 0;
    for (const asset of group.assets) {
      const before = doneBytes;
      const counting = { ...context, onBytes: (bytes: number) => context.onBytes(before + bytes) };
      const failures: string[] = [];
      for (const candidate of asset.hub) {
        if (await context.store.has(asset)) break;
        try {
          await downloadFile(
            addressOf(candidate, context.environment),
            asset,
            counting,
            headersOf(context.environment),
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

function addressOf(place: HubPlace, environment: Environment): string {
  const hub = (environment["HF_ENDPOINT"] || standardHub).replace(/\/+$/u, "");
  return `${hub}/${place.repository}/resolve/main/${place.path}`;
}

function headersOf(environment: Environment): Readonly<Record<string, string>> {
  const token = environment["HF_TOKEN"];
  return token ? { authorization: `Bearer ${token}` } : {};
}
