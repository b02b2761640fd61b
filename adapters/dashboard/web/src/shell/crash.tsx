import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Empty, Failure } from "../ui/page";

/** Crash stands for a screen that failed while it was drawn. */
export function Crash({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <Failure error={error} retry={reset} />
    </div>
  );
}

/** Missing stands for an address without a screen. */
export function Missing() {
  return (
    <main className="page">
      <Empty
        title="There is no such page"
        action={
          <Link to="/" className="button button-primary">
            Go to Today
          </Link>
        }
      >
        The address may be wrong, or from an earlier version.
      </Empty>
    </main>
  );
}
