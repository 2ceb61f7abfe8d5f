import type { ReactNode } from "react";
import type { ShownError } from "../texts/error-texts.ts";

const tones = {
  bad: "bg-bad-wash border-bad text-ink",
  warn: "bg-warn-wash border-warn text-ink",
  calm: "bg-accent-wash border-accent text-ink",
} as const;

/** A message that stands where it belongs. Errors are read out at once, the rest when there is time. */
export function Notice({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={`border-s-4 rounded-e-md px-4 py-3 text-sm ${tones[tone]}`}
    >
      {children}
    </div>
  );
}

/** What went wrong, what to do about it, and buttons for it. */
export function ErrorNotice({ title, error, children }: { title?: string; error: ShownError; children?: ReactNode }) {
  return (
    <Notice tone="bad">
      {title === undefined ? null : <p className="font-semibold text-bad">{title}</p>}
      <p className={title === undefined ? "font-semibold text-bad" : "mt-1"}>{error.message}</p>
      {error.cure === undefined ? null : <p className="mt-1">{error.cure}</p>}
      {error.original === undefined || error.original === "" ? null : (
        <p lang="en" className="mt-2 text-xs text-soft">
          {error.original}
        </p>
      )}
      {children === undefined ? null : <div className="mt-3 flex flex-wrap gap-2">{children}</div>}
    </Notice>
  );
}
