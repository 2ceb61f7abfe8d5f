import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type DragEvent } from "react";
import { ApiError } from "../api/client.ts";
import { projectsQuery } from "../api/queries.ts";
import { uploadBook } from "../api/upload.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { Thread } from "../parts/thread.tsx";
import type { ShownError } from "../texts/error-texts.ts";
import { useTexts } from "../texts/use-texts.ts";

interface Sending {
  readonly name: string;
  readonly ratio: number;
}

/** Takes one book at a time: dropped anywhere on it or chosen; shows how far it is, and what was wrong. */
export function DropZone() {
  const { t, percent, error: errorText } = useTexts();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [sending, setSending] = useState<Sending>();
  const [failure, setFailure] = useState<ShownError>();
  const [over, setOver] = useState(false);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const take = async (file: File): Promise<void> => {
    setFailure(undefined);
    setSending({ name: file.name, ratio: 0 });
    const controller = new AbortController();
    abort.current = controller;
    try {
      const { projectId } = await uploadBook(
        file,
        (ratio) => setSending({ name: file.name, ratio }),
        controller.signal,
      );
      await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      await navigate({ to: "/projects/$projectId", params: { projectId } });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "cancelled")) setFailure(errorText(error));
    } finally {
      setSending(undefined);
    }
  };

  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (sending) return;
    const files = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const first = files[0];
    const file = first?.webkitGetAsEntry()?.isDirectory === true ? null : first?.getAsFile();
    if (!file) {
      setFailure({ message: t("errors.notAFile"), cure: t("errors.notAFileCure") });
      return;
    }
    if (files.length > 1) {
      setFailure({ message: t("errors.tooManyFiles") });
      return;
    }
    void take(file);
  };

  return (
    <section className="space-y-3">
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={`rounded-lg border-2 border-dashed px-6 py-7 sm:px-8 transition-colors ${
          over ? "border-accent bg-accent-wash" : "border-line bg-surface"
        }`}
      >
        {sending ? (
          <div className="mx-auto max-w-md space-y-3">
            <p className="truncate font-medium">{t("library.uploading", { name: sending.name })}</p>
            <Thread value={sending.ratio} total={1} label={t("library.uploading", { name: sending.name })} />
            <div className="flex items-center justify-between gap-3 text-sm text-soft">
              <span className="tabular">{t("library.uploadProgress", { percent: percent(sending.ratio, 1) })}</span>
              <Button look="quiet" onClick={() => abort.current?.abort()}>
                {t("library.stopUpload")}
              </Button>
            </div>
          </div>
        ) : (
          <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-5">
            <div className="min-w-0">
              <p className="font-book text-xl sm:text-2xl">{over ? t("library.dropNow") : t("library.dropTitle")}</p>
              <p className="mt-1 text-sm text-soft">{t("library.dropHint")}</p>
            </div>
            <label
              className={`${buttonClass("primary")} has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent`}
            >
              {t("library.choose")}
              <input
                type="file"
                className="sr-only"
                accept=".epub,.md,.markdown,.txt,.text,application/epub+zip,text/markdown,text/plain"
                onChange={(event) => {
                  const file = event.target.files?.[0];
                  event.target.value = "";
                  if (file) void take(file);
                }}
              />
            </label>
          </div>
        )}
      </div>
      {failure === undefined ? null : (
        <ErrorNotice error={failure}>
          <Button onClick={() => setFailure(undefined)}>{t("app.dismiss")}</Button>
        </ErrorNotice>
      )}
    </section>
  );
}
