import { useTexts } from "../texts/use-texts.ts";

/** Quiet placeholder lines while the first answer is on its way. */
export function Loading({ lines = 3 }: { lines?: number }) {
  const { t } = useTexts();
  return (
    <div role="status" aria-label={t("app.loading")} className="space-y-4 py-4">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="breathing h-16 rounded-md bg-sunken" />
      ))}
    </div>
  );
}
