/** File systems take 255 bytes; some is left for what a browser or a copy adds to a name. */
const longestNameBytes = 180;

/**
 * A title as a file name that every system takes: no separators or invisible characters, no dots or spaces at its ends,
 * no name that Windows keeps for devices, at most 180 bytes of UTF-8, never empty. `ending` comes without its dot.
 */
export function fileNameOf(title: string, ending: string): string {
  const clean = title
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, " ")
    .replaceAll(/\s+/gu, " ");
  let name = "";
  let bytes = 0;
  for (const character of clean.replace(/^[. ]+/u, "")) {
    bytes += utf8Bytes(character);
    if (bytes > longestNameBytes) break;
    name += character;
  }
  name = name.replace(/[. ]+$/u, "");
  const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu.test(name);
  return `${name === "" || reserved ? `audiobook ${name}`.trim() : name}.${ending}`;
}

/** Length of one code point in UTF-8 (RFC 3629). */
function utf8Bytes(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
