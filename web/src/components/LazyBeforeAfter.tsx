/** Two distributions before and after a change, loaded after the page, with their height reserved. */
import { lazy, memo, Suspense } from "react";
import type { BeforeAfterProps } from "./BeforeAfter";

const BeforeAfter = lazy(async () => ({ default: (await import("./BeforeAfter")).BeforeAfter }));

export const LazyBeforeAfter = memo(function LazyBeforeAfter(props: BeforeAfterProps) {
  return (
    <Suspense fallback={<div className="before-after" role="status" aria-label="Loading" />}>
      <BeforeAfter {...props} />
    </Suspense>
  );
});
