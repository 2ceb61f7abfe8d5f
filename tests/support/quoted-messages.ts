/** A message that the troubleshooting page quotes in a block of its own; `…` stands for what differs. */
export interface QuotedMessage {
  readonly text: string;
  /** Matches a whole message; a cure that stands in words below the block may follow. */
  readonly pattern: RegExp;
}

/** The blocks ` ```text ` of the page: what a person sees. Blocks marked `text program` come from other programs. */
export function quotedMessages(page: string): QuotedMessage[] {
  return [...page.matchAll(/^```text\n(.*?)\n```$/gmsu)].map(([, text = ""]) => {
    const literal = text
      .split("…")
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&"))
      .join(".*?");
    return { text, pattern: new RegExp(`^${literal}\\s*$`, "su") };
  });
}
