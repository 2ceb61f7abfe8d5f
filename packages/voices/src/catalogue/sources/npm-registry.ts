import { downloadFile } from "../http-download.ts";
import type { AssetSource } from "./source.ts";

const standardRegistry = "https://registry.npmjs.org";

/** Tarballs straight from the npm registry, for machines whose npm command is missing or does not work. */
export const npmRegistrySource: AssetSource = {
  name: "the npm registry",
  serves: (group) => group.packages.some((pinned) => pinned.registry === "npm"),
  async fetch(group, context) {
    const { environment, store } = context;
    const registry = environment["npm_config_registry"] ?? environment["NPM_CONFIG_REGISTRY"] ?? standardRegistry;
    for (const pinned of group.packages) {
      if (pinned.registry !== "npm" || (await store.has(pinned))) continue;
      // <registry>/<name>/-/<name without scope>-<version>.tgz: where npm publishes tarballs.
      const url = `${registry.replace(/\/+$/u, "")}/${pinned.package}/-/${pinned.name}`;
      await downloadFile(url, pinned, context);
    }
  },
};
