import { useEffect } from "react";

/** Names the page in the browser's tab. */
export function PageTitle({ text }: { text: string }) {
  useEffect(() => {
    document.title = `${text} · Katari`;
  }, [text]);
  return null;
}
