/** Stands where content is about to be, in roughly its size, so that the page does not jump. */

type Props = { width?: string; height?: string };

export function Skeleton({ width = "100%", height = "1.25rem" }: Props) {
  return <span className="skeleton" style={{ width, height }} />;
}

/** A whole page that is on its way. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton width="min(36rem, 90%)" height="2rem" />
      <Skeleton width="min(24rem, 70%)" />
      <div className="section">
        <Skeleton height="16rem" />
      </div>
    </div>
  );
}
