import { Progress } from "radix-ui";

/** A progress line. Without a value it only says that something goes on. */
export function Thread({ value, total, label }: { value?: number; total?: number; label: string }) {
  const known = value !== undefined && total !== undefined && total > 0;
  const ratio = known ? Math.min(1, value / total) : 0;
  return (
    <Progress.Root className="thread" value={known ? Math.round(ratio * 100) : null} aria-label={label}>
      <Progress.Indicator
        className={`block h-full origin-left rtl:origin-right transition-transform duration-500 ${
          ratio >= 1 ? "bg-good" : "bg-thread"
        } ${known ? "" : "breathing"}`}
        style={{ transform: `scaleX(${known ? ratio : 1})` }}
      />
    </Progress.Root>
  );
}
