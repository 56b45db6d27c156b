/** A bar of the parts of a message's time, and their legend. */
import { type Budget, overlapText, PARTS, type Part, sharesText, stackedNs } from "@/lib/budget";

/** The shares as a bar, with the same as text. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const whole = stackedNs(budget);
  if (whole === 0) return null;
  const text = [sharesText(budget), overlapText(budget)].filter(Boolean).join("; ");
  let end = 0;
  return (
    <svg className="budget-bar" role="img" aria-label={text}>
      <title>{text}</title>
      {PARTS.map(({ key, fill }) => {
        const [from, share] = [end, budget.parts_ns[key].mean / whole];
        end += share;
        return (
          share > 0 && (
            <rect key={key} x={`${100 * from}%`} width={`${100 * share}%`} height="100%" fill={fill} />
          )
        );
      })}
    </svg>
  );
}

/** Inline SVG, so that exported pictures include it. */
export function BudgetLegend({ parts }: { parts: Part[] }) {
  return (
    <ul className="budget-legend" aria-label="Legend">
      {parts.map(({ key, label, fill }) => (
        <li key={key}>
          <svg width={10} height={10} aria-hidden="true">
            <rect width={10} height={10} fill={fill} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
