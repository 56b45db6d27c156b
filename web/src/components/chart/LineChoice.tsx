/** Buttons to show, hide and highlight the lines of a chart, grouped by family. */
import { useState } from "react";
import { groupBy } from "@/lib/collections";
import { useSearchChange } from "@/lib/hooks";
import { withToggled } from "@/lib/search";
import { upperFirst } from "@/lib/units";
import { LineSample } from "./LineSample";
import type { LineStyle } from "./lines";

type ChosenLine = { key: string; label: string; family?: string; style: LineStyle; isShown: boolean };

type Props = {
  label: string;
  lines: ChosenLine[];
  onToggle: (key: string) => void;
  onPoint: (key: string | null) => void;
};

export function LineChoice({ label, lines, onToggle, onPoint }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a legend and a frame.
    <div className="line-choice" role="group" aria-label={label}>
      {[...groupBy(lines, ({ family }) => family)].map(([family, members]) => (
        <div key={family ?? ""} className="line-family">
          {family !== undefined && <span className="muted">{upperFirst(family.replaceAll("-", " "))}</span>}
          {members.map(({ key, label: name, style, isShown }) => (
            <button
              key={key}
              type="button"
              aria-pressed={isShown}
              onClick={() => onToggle(key)}
              onPointerEnter={() => onPoint(isShown ? key : null)}
              onPointerLeave={() => onPoint(null)}
              onFocus={() => onPoint(isShown ? key : null)}
              onBlur={() => onPoint(null)}
            >
              <LineSample style={style} />
              {name}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The highlighted line, and handlers that keep hidden lines in the address. */
export function useLineChoice(hidden: string | undefined) {
  const [pointed, onPoint] = useState<string | null>(null);
  const change = useSearchChange<{ hidden: string }>();
  const onToggle = (key: string) => {
    onPoint(null);
    void change({ hidden: withToggled(hidden, key) });
  };
  return { pointed, onPoint, onToggle };
}
