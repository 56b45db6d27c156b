/** What an answer is made into, once it is there; what stands here until then, and when none comes. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorState } from "@/components/ui/ErrorState";
import { Skeleton } from "@/components/ui/Skeleton";

type Props<Data> = { query: UseQueryResult<Data>; children: (data: Data) => ReactNode };

export function Loaded<Data>({ query: { data, error, refetch }, children }: Props<Data>) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} heading="h2" />;
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height="6rem" />
    </div>
  );
}
