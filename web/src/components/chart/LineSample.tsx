/** A short piece of a line with its marker, next to its name. */
import { type LineStyle, markerPath } from "./lines";

const SAMPLE = { width: 22, height: 10 };

export function LineSample({ style: { stroke, dash, marker } }: { style: LineStyle }) {
  const [x, y] = [SAMPLE.width / 2, SAMPLE.height / 2];
  return (
    <svg {...SAMPLE} aria-hidden="true">
      <path d={`M0,${y}h${SAMPLE.width}`} stroke={stroke} strokeDasharray={dash} strokeWidth={1.5} />
      <path d={markerPath(marker, x, y, 2.75)} fill={stroke} />
    </svg>
  );
}
