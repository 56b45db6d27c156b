/** Buttons to show, hide and highlight the lines of a chart. */
import { useState } from "react";
import { useSearchChange } from "@/lib/hooks";
import { withToggled } from "@/lib/search";
import { lineStyle, markerPath } from "./lines";

type ChosenLine = { key: string; label: string; look: number; isShown: boolean };

type Props = {
  label: string;
  lines: ChosenLine[];
  onToggle: (key: string) => void;
  onPoint: (key: string | null) => void;
};

const SAMPLE = { width: 22, height: 10 };

export function LineChoice({ label, lines, onToggle, onPoint }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would add a legend and a frame.
    <div className="line-choice" role="group" aria-label={label}>
      {lines.map(({ key, label: name, look, isShown }) => (
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
          <LineSample look={look} />
          {name}
        </button>
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

function LineSample({ look }: { look: number }) {
  const { stroke, dash, marker } = lineStyle(look);
  const [x, y] = [SAMPLE.width / 2, SAMPLE.height / 2];
  return (
    <svg {...SAMPLE} aria-hidden="true">
      <path d={`M0,${y}h${SAMPLE.width}`} stroke={stroke} strokeDasharray={dash} strokeWidth={1.5} />
      <path d={markerPath(marker, x, y, 2.75)} fill={stroke} />
    </svg>
  );
}
