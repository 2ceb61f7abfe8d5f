import { AppError } from "@katari/core";
import { findElement, findElements } from "../markup-tree.ts";
import { parseXml } from "../parse-xml.ts";

const fontObfuscation = new Set(["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]);
const rightsFiles = new Map([
  ["META-INF/rights.xml", "Adobe DRM"],
  ["META-INF/sinf.xml", "Apple FairPlay"],
  ["META-INF/license.lcpl", "Readium LCP"],
]);

/**
 * Refuses a book whose text is encrypted. Obfuscated fonts are no protection of the text and pass.
 * `encryption` is the text of `META-INF/encryption.xml`, where the book has one.
 * @throws AppError `encrypted-source`, naming the kind of protection where it can be told
 */
export function refuseProtected(names: ReadonlySet<string>, encryption: string | undefined): void {
  const kind = [...rightsFiles].find(([name]) => names.has(name))?.[1];
  if (encryption === undefined) return;
  const data = findElements(parseXml(encryption, "META-INF/encryption.xml"), "encrypteddata");
  const encrypted = data.filter((element) => {
    const method = findElement(element, "encryptionmethod")?.attributes.get("algorithm") ?? "";
    const target = findElement(element, "cipherreference")?.attributes.get("uri") ?? "";
    return !fontObfuscation.has(method) && !/\.(?:otf|ttf|woff2?)$/iu.test(target);
  });
  if (encrypted.length === 0) return;
  throw new AppError("encrypted-source", `The book is encrypted${kind === undefined ? "" : ` (${kind})`}.`, {
    cure: "Use a copy without copy protection; many shops offer one, and books in the public domain have none.",
  });
}
