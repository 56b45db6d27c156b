/** What can be said of the selected regressions together. */
import type { RegressionChange } from "@/api/types";
import { inDays } from "@/lib/time";

type Props = {
  count: number;
  isBusy: boolean;
  error: Error | null;
  onSay: (change: RegressionChange) => void;
};

const WEEK_DAYS = 7;

export function BulkActions({ count, isBusy, error, onSay }: Props) {
  const actions: [string, () => RegressionChange][] = [
    ["Acknowledge", () => ({ state: "acknowledged" })],
    ["Fixed", () => ({ state: "fixed" })],
    ["No regression", () => ({ state: "invalid" })],
    ["Mute for a week", () => ({ muted_until: inDays(WEEK_DAYS) })],
  ];
  return (
    <>
      <div className="controls bulk">
        <span className="muted" aria-live="polite">
          {count === 0 ? "None selected" : `${count} selected`}
        </span>
        {actions.map(([name, change]) => (
          <button
            key={name}
            type="button"
            className="button"
            disabled={count === 0 || isBusy}
            onClick={() => onSay(change())}
          >
            {name}
          </button>
        ))}
      </div>
      {error !== null && (
        <p className="warning" role="alert">
          {error.message}
        </p>
      )}
    </>
  );
}
