/** Two distributions before and after a change, loaded after the page, with their height reserved. */
import { lazy, memo, Suspense } from "react";
import type { BeforeAfterProps } from "./BeforeAfter";

const BeforeAfter = lazy(async () => ({ default: (await import("./BeforeAfter")).BeforeAfter }));

export const LazyBeforeAfter = memo(function LazyBeforeAfter(props: BeforeAfterProps) {
  return (
    <Suspense
      fallback={<div className={pendingClass(props.before === null)} role="status" aria-label="Loading" />}
    >
      <BeforeAfter {...props} />
    </Suspense>
  );
});

/** The class that reserves the height of one chart or two. */
export function pendingClass(isSingle: boolean): string {
  return `before-after before-after-pending${isSingle ? " before-after-single" : ""}`;
}
