/** The commit that the crosshair is at, or how to get there. */
import { placeOf, pointAt } from "@/components/chart/CommitSlider";
import { useCrosshair, usePoint } from "@/components/chart/crosshair";
import { useKeys } from "@/lib/useKeys";

type Props = { ordinals: readonly number[]; describe: (ordinal: number) => string };

export function CommitLine({ ordinals, describe }: Props) {
  const place = placeOf(useCrosshair(), ordinals);
  const point = usePoint();
  const move = (by: number) => point(pointAt(ordinals, place === null ? ordinals.length - 1 : place + by));
  useKeys({
    title: "Explore",
    keys: [
      ["ArrowLeft", "one commit back, on all lines", () => move(-1)],
      ["ArrowRight", "one commit on", () => move(1)],
    ],
  });
  const ordinal = place === null ? undefined : ordinals[place];
  return (
    <p className="spark-commit">
      {ordinal === undefined ? (
        <>
          Point at a line, or press <kbd>←</kbd> <kbd>→</kbd>: all of them show the same commit.
        </>
      ) : (
        describe(ordinal)
      )}
    </p>
  );
}
