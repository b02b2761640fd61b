// Where the bar of a task may be. The bar itself is loaded once somebody goes through tasks.
import { useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useClient } from "../../api/client";
import { later } from "../../shell/load";
import { keep, useQueue } from "./queue";
import "./bar.css";

const Placed = later(async () => (await import("./placed")).Placed);

/** TaskBar is the bar while a person goes through the tasks. A screen that shows no resource ends
 *  the queue, and one that the task does not lead to has only the way back. */
export function TaskBar() {
  const { mode } = useClient();
  const queue = useQueue();
  const path = useRouterState({ select: (s) => s.location.pathname });
  const today = path === `/${mode}`; // which takes the queue's place over
  // Missing money and quarantined files are looked for in their lists.
  const shows = /_[0-9A-Z]{26}(\/|$)|\/(new|deposits|quarantine)$/.test(path);
  const leaves = queue !== null && !shows && !today;
  // What the tab keeps is outside React.
  useEffect(() => {
    if (leaves) keep(mode, null);
  }, [leaves, mode]);
  return queue && shows ? (
    <Suspense fallback={<p className="task-bar no-print" />}>
      <Placed queue={queue} path={path} />
    </Suspense>
  ) : null;
}
