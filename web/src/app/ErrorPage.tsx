/** Stands where a page's data could not be had: not there, not allowed, or not answered. Asks for it again on request. */
import { useQueryClient } from "@tanstack/react-query";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ApiError } from "@/api/errors";
import { ErrorState } from "@/components/ui/ErrorState";
import { NothingHere, SignInToSee } from "./NotFoundPage";

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queryClient = useQueryClient();
  if (error instanceof ApiError && error.status === 404)
    return <NothingHere detail={error.message} isSubject />;
  const retry = async () => {
    await queryClient.resetQueries({ predicate: ({ state }) => state.status === "error" });
    reset();
    await router.invalidate();
  };
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return (
    <>
      <ErrorState error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
      {isRefused && <SignInToSee />}
    </>
  );
}
