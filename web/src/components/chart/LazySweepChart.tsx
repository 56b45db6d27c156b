/** A sweep chart that loads after the page, for pages that begin with something else. */
import { type ComponentProps, lazy, Suspense } from "react";
import { Skeleton } from "@/components/ui/states";

const SweepChart = lazy(async () => ({ default: (await import("./SweepChart")).SweepChart }));

type Props = ComponentProps<typeof SweepChart> & { height_px: number };

export function LazySweepChart(props: Props) {
  return (
    <Suspense fallback={<Skeleton height={`${props.height_px}px`} />}>
      <SweepChart {...props} />
    </Suspense>
  );
}
