/**
 * `Content-Disposition: attachment` for any file name (RFC 6266): a plain ASCII name for old readers, and the true one
 * in the encoding of RFC 8187 (which replaced RFC 5987).
 */
export function attachment(fileName: string): string {
  const clean = fileName.replace(/[\p{Cc}\p{Cs}/\\]/gu, "_");
  const ascii = clean.replace(/[^\x20-\x7e]/gu, "_").replace(/["%]/g, "_");
  // `attr-char` of RFC 8187 leaves out these four, which encodeURIComponent lets through.
  const encoded = encodeURIComponent(clean).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
