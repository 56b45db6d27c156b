/** Values of some lines at one position, the best first, as dots on a logarithmic axis that all panels share. */
import { type LineStyle, markerPath } from "./lines";

export type Ranked = { key: string; label: string; value: number; style: LineStyle; isTied: boolean };

type Props = {
  label: string;
  rows: Ranked[];
  domain: readonly [number, number];
  format: (value: number) => string;
};

const WIDTH_PX = 120;
const HEIGHT_PX = 14;
const MARGIN_PX = 5;

export function RankedDots({ label, rows, domain: [low, high], format }: Props) {
  const x = (value: number) =>
    MARGIN_PX + (Math.log(value / low) / (Math.log(high / low) || 1)) * (WIDTH_PX - 2 * MARGIN_PX);
  return (
    <ol className="ranked-dots" aria-label={label}>
      {rows.map(({ key, label: name, value, style, isTied }) => (
        <li key={key} className={isTied ? "strong" : undefined}>
          <span>{name}</span>
          <svg width={WIDTH_PX} height={HEIGHT_PX} aria-hidden="true">
            <path d={`M0,${HEIGHT_PX / 2}H${WIDTH_PX}`} stroke="var(--rule)" />
            <path d={markerPath(style.marker, x(value), HEIGHT_PX / 2, 3.5)} fill={style.stroke} />
          </svg>
          <span className="number">{format(value)}</span>
        </li>
      ))}
    </ol>
  );
}
