/** Stands at addresses where nothing is. */
import { Link } from "@tanstack/react-router";
import { toHome } from "@/lib/paths";

const NO_PAGE = "No page has this address. It may have been mistyped or cut short.";

/** For the router: no page matches. */
export function NotFoundPage() {
  return <NothingHere detail={NO_PAGE} />;
}

/** For a page whose subject does not exist. */
export function NothingHere({ detail }: { detail: string }) {
  return (
    <div className="state">
      <h1>Nothing is here</h1>
      <p>{detail}</p>
      <p>
        <Link {...toHome()}>Go to the start</Link>
      </p>
    </div>
  );
}
