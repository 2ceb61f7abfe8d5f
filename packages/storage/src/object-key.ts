import { AppError } from "@katari/core";

const part = /^[A-Za-z0-9._@=-]{1,200}$/;
const maxKeyLength = 512;

const refuse = (message: string): never => {
  throw new AppError("invalid-argument", message, {
    cure: "Use parts of letters, digits and . _ @ = - with / between them.",
  });
};

/** Returns the parts of an object key. Throws AppError `invalid-argument` for one that a store must not take. */
export function parseObjectKey(key: string): readonly string[] {
  const parts = key.split("/");
  const isSound = key.length <= maxKeyLength && parts.every((each) => part.test(each) && each !== "." && each !== "..");
  return isSound ? parts : refuse(`${JSON.stringify(key.slice(0, 80))} is not an object key.`);
}

/**
 * Splits a prefix into whole folders and the beginning of a name, which may be empty. The empty prefix means every
 * object. Throws AppError `invalid-argument` like `parseObjectKey`.
 */
export function parseObjectPrefix(prefix: string): { readonly folders: readonly string[]; readonly begin: string } {
  const parts = prefix.split("/");
  const begin = parts.pop() ?? "";
  if (parts.length > 0) parseObjectKey(parts.join("/"));
  if (begin !== "" && !part.test(begin)) refuse(`${JSON.stringify(prefix.slice(0, 80))} is not the prefix of a key.`);
  return { folders: parts, begin };
}
