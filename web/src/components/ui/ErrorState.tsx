/** Says what went wrong, with the request's id for the server's log, and offers to try again. */
import { ApiError } from "@/api/errors";

type Props = {
  error: Error;
  onRetry: () => void;
  /** A page's only content has the page's heading. */
  heading?: "h1" | "h2";
};

export function ErrorState({ error, onRetry, heading: Heading = "h1" }: Props) {
  const { title, requestId } =
    error instanceof ApiError ? error : { title: "This page failed", requestId: null };
  return (
    <div className="state" role="alert">
      <Heading>{title}</Heading>
      <p>{error.message}</p>
      {requestId !== null && (
        <p className="muted">
          Request <code>{requestId}</code>, as in the server’s log.
        </p>
      )}
      <p>
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      </p>
    </div>
  );
}
