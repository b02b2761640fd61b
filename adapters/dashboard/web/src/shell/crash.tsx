import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../ui/button";
import { Empty, Failure } from "../ui/page";

/** Crash stands for a screen that failed while it was drawn. */
export function Crash({ error, reset }: ErrorComponentProps) {
  // A new release has other files: an open page loads again to get them.
  const stale = error instanceof Error && /dynamically imported module|module script/i.test(error.message);
  return (
    <div className="page">
      {stale
        ? <Empty title="Molar was updated" action={<Button look="primary" onClick={() => location.reload()}>Load the new version</Button>}>This page is of the earlier version.</Empty>
        : <Failure error={error} retry={reset} />}
    </div>
  );
}

/** Missing stands for an address without a screen. */
export function Missing() {
  return (
    <main className="page">
      <Empty title="There is no such page" action={<Link to="/" className="button button-primary">Go to Today</Link>}>The address may be wrong, or from an earlier version.</Empty>
    </main>
  );
}
