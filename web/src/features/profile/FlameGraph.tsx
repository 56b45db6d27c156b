/** A flame graph on one canvas, callers above callees: hover for details, click or press Enter to zoom. */
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useWidth } from "@/components/chart/useWidth";
import { TextButton } from "@/components/ui/controls";
import {
  boxOf,
  type Flame,
  frameAt,
  LEVELS,
  largestChange,
  layoutOf,
  type Match,
  neighbourOf,
  ROOT,
  type Screen,
  shownOf,
  type View,
  visitDrawn,
} from "@/lib/flame";
import { onColoursChanged } from "@/lib/theme";
import { formatNs } from "@/lib/units";
import { detailsOf, signedNs, spoken } from "./data";
import { KERNEL_FILL, levelFill, PROGRAM_FILL, paint, paletteOf, ROW_PX } from "./paint";

type Props = { flame: Flame; view: View; match: Match | null };

export function FlameGraph({ flame, view, match }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const mark = useRef<HTMLDivElement>(null);
  const { frame, width_px } = useWidth();
  const [chosen, setChosen] = useState(ROOT);
  const [pointed, setPointed] = useState<number | null>(null);
  const [announced, setAnnounced] = useState("");
  const layout = useMemo(() => layoutOf(flame, view), [flame, view]);
  const largest = useMemo(() => largestChange(flame), [flame]);
  // Another view or time may not have the zoomed frame.
  const zoomed = shownOf(layout, flame, chosen);
  const screen = useMemo(
    (): Screen => ({ flame, layout, zoomed, width_px }),
    [flame, layout, zoomed, width_px],
  );
  const rowCount = useMemo(() => visitDrawn(screen, () => {}), [screen]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null || width_px === 0) return;
    const draw = () => paint(element, screen, rowCount, { palette: paletteOf(element), match, largest });
    draw();
    return onColoursChanged(draw);
  }, [screen, rowCount, width_px, match, largest]);

  const current = pointed ?? zoomed;
  const zoom = (frame: number) => {
    setChosen(frame);
    setPointed(null);
  };
  const under = ({ clientX, clientY, currentTarget }: MouseEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return frameAt(screen, clientX - left, Math.floor((clientY - top) / ROW_PX));
  };
  const choose = (event: MouseEvent) => {
    const frame = under(event);
    if (frame !== null) zoom(frame);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = targetOf(event.key, current, screen);
    if (target === undefined) return;
    event.preventDefault();
    if (event.key === "Enter" || event.key === "Escape") setChosen(target);
    // A frame outside the zoomed one would not be on the screen.
    else if (boxOf(screen, target) === null) return;
    setPointed(target);
    setAnnounced(spoken(detailsOf(flame, target, view)));
  };
  useEffect(() => {
    if (announced !== "") mark.current?.scrollIntoView({ block: "nearest" });
  }, [announced]);

  const box = pointed === null ? null : boxOf(screen, pointed);
  return (
    <div className="flame">
      <FrameDetails
        flame={flame}
        frame={current}
        view={view}
        tool={zoomed !== ROOT && <TextButton onClick={() => zoom(ROOT)}>Reset zoom</TextButton>}
      />
      <div
        ref={frame}
        className="flame-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between frames.
        tabIndex={0}
        role="application"
        aria-roledescription="flame graph"
        aria-label={`${flame.end}: arrow keys move to callers, callees and neighbours, Enter zooms, Escape resets`}
        onMouseMove={(event) => setPointed(under(event))}
        onMouseLeave={() => setPointed(null)}
        onClick={choose}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} style={{ width: width_px, height: rowCount * ROW_PX }} />
        {box !== null && (
          <div
            ref={mark}
            className="flame-mark"
            style={{
              left: box.left,
              top: box.row * ROW_PX,
              width: Math.max(box.width - 1, 2),
              height: ROW_PX - 1,
            }}
          />
        )}
      </div>
      <Legend view={view} largest={largest} />
      <p className="visually-hidden" role="status">
        {announced}
      </p>
    </div>
  );
}

/** The frame that a key moves or zooms to; `undefined` for other keys. */
function targetOf(key: string, current: number, { flame, layout }: Screen): number | undefined {
  if (key === "Enter") return current;
  if (key === "Escape") return ROOT;
  return key.startsWith("Arrow") ? neighbourOf(flame, layout, current, key) : undefined;
}

type DetailsProps = { flame: Flame; frame: number; view: View; tool: ReactNode };

function FrameDetails({ flame, frame, view, tool }: DetailsProps) {
  const { name, base, head, change, direction, own, share } = detailsOf(flame, frame, view);
  return (
    <div className="flame-details">
      <p>
        <code title={name}>{name}</code>
        {tool}
      </p>
      <p className="muted">
        base {base} · head {head} ·{" "}
        <span className={direction === null ? "" : `change change-${direction}`}>{change}</span> · own change{" "}
        {own} · {share}
      </p>
    </div>
  );
}

const SWATCH_PX = 12;
const STEP_PX = 8;
const STEPS = Array.from({ length: 2 * LEVELS + 1 }, (_, index) => index - LEVELS);

/** Inline SVG, so that exported pictures include it. Hovering does not render it again. */
const Legend = memo(function Legend({ view, largest }: { view: View; largest: number }) {
  if (view !== "difference") {
    const swatch = (fill: string, label: string) => (
      <li>
        <svg width={SWATCH_PX} height={SWATCH_PX} aria-hidden="true">
          <rect width={SWATCH_PX} height={SWATCH_PX} fill={fill} />
        </svg>
        {label}
      </li>
    );
    return (
      <ul className="flame-legend" aria-label="Legend">
        {swatch(PROGRAM_FILL, "program")}
        {swatch(KERNEL_FILL, "kernel")}
      </ul>
    );
  }
  return (
    <ul className="flame-legend" aria-label="Legend">
      <li>
        faster {signedNs(-largest)}
        <svg
          width={STEPS.length * STEP_PX}
          height={SWATCH_PX}
          viewBox={`0 0 ${STEPS.length} 1`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {STEPS.map((level, index) => (
            <rect key={level} x={index} width={1} height={1} fill={levelFill(level)} />
          ))}
        </svg>
        {signedNs(largest)} slower
      </li>
      <li>half colour: ±{formatNs(largest / 4)}</li>
      <li>
        <svg width={2 * SWATCH_PX} height={SWATCH_PX} aria-hidden="true">
          <rect width={2 * SWATCH_PX} height={SWATCH_PX} fill={levelFill(-LEVELS / 2)} />
          <path className="flame-stripes" d="M-6,12l12-12M0,12l12-12M6,12l12-12M12,12l12-12M18,12l12-12" />
        </svg>
        only in base
      </li>
    </ul>
  );
});
