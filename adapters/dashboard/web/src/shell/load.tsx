// Loading the parts of the application that the first page does not have. They
// are files of one release, and the next release does not have them.
import { type ComponentType, lazy, useEffect, useState } from "react";
import { typed } from "../api/typed";
import { Button } from "../ui/button";
import { Empty } from "../ui/page";
import { useToast } from "../ui/toast";

/** load loads a part. While the service does not reply, it waits. It returns null if the service has
 *  another release than the page. */
export async function load<T>(part: () => Promise<T>): Promise<T | null> {
  try {
    return await part();
  } catch {
    await reply();
  }
  return part().catch(() => null);
}

/** reply waits until the service replies. */
async function reply(): Promise<void> {
  for (let failures = 0; ; failures++) {
    try {
      await fetch("/", { method: "HEAD", cache: "no-store" });
      return;
    } catch {
      await new Promise((done) => setTimeout(done, Math.min(500 * 2 ** failures, 5_000)));
    }
  }
}

/** OutdatedScreen stands for a screen of another release: it loads the page again. The screen before
 *  it is left, so nothing is lost. */
export function OutdatedScreen() {
  const [stays, setStays] = useState(false);
  // The browser loads the page again once this screen is shown, not when its code is fetched.
  useEffect(() => setStays(!reloadOnce()), []);
  if (!stays) return null;
  return (
    <div className="page">
      <Empty
        title="Molar was updated"
        action={
          <Button look="primary" onClick={() => location.reload()}>
            Load the new version
          </Button>
        }
      >
        This page is of the earlier version.
      </Empty>
    </div>
  );
}

/** reloadOnce loads the page again, and reports whether it does. It does not while something typed is on
 *  the page, nor within a minute of the last time: two releases may serve in turn. */
function reloadOnce(): boolean {
  const key = "molar-reloaded";
  if (typed()) return false;
  if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return false;
  sessionStorage.setItem(key, String(Date.now()));
  location.reload();
  return true;
}

/** later returns a component inside a page, whose code loads when it is first shown. On an outdated
 *  page it is a message: a person may have typed something there, and decides when the page loads
 *  again. */
export function later<P extends object>(part: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazy(
    async (): Promise<{ default: ComponentType<P> }> => ({
      default: (await load(part)) ?? OutdatedPart,
    }),
  );
}

function OutdatedPart() {
  const { good } = useToast();
  // Messages are outside this part, and one appears once it is shown.
  useEffect(
    () => good("Molar was updated.", "Save what you entered, then load the page again."),
    [good],
  );
  return null;
}
