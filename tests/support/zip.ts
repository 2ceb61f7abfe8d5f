/**
 * A zip archive of stored (not compressed) entries, after APPNOTE 6.3.10 §4.3: enough to make small EPUBs for tests.
 * Independent of the reader under test.
 */
export function zip(entries: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const data = Buffer.from(content);
    const path = Buffer.from(name, "utf8");
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version needed
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt32LE(crc(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), common, path, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002", "latin1"), Buffer.from([20, 0]), common, rest, path]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(central.length, 4);
  end.writeUInt16LE(central.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\u0005\u0006", "latin1"), end]);
}

const container =
  '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

/** A minimal EPUB 3 with the given XHTML bodies as chapters; `extra` entries replace or join the usual ones. */
export function epub(bodies: readonly string[], extra: Readonly<Record<string, string | Uint8Array>> = {}): Buffer {
  const items = bodies
    .map((_, at) => `<item id="c${at}" href="c${at}.xhtml" media-type="application/xhtml+xml"/>`)
    .join("");
  const spine = bodies.map((_, at) => `<itemref idref="c${at}"/>`).join("");
  const chapters = Object.fromEntries(
    bodies.map((body, at) => [
      `c${at}.xhtml`,
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${at + 1}</title></head><body>${body}</body></html>`,
    ]),
  );
  return zip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": container,
    "b.opf": `<package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier><dc:title>A Small Book</dc:title><dc:language>en</dc:language></metadata><manifest>${items}</manifest><spine>${spine}</spine></package>`,
    ...chapters,
    ...extra,
  });
}

/** The checksum of ISO 3309, bit by bit: the files are small, and zlib.crc32 came only with Node 22. */
function crc(data: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
