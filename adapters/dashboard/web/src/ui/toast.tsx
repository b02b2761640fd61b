// Short messages at the edge of the page, read aloud by screen readers.
import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { isAPIError, said } from "../api/client";

/** ToastProvider shows the messages of everything inside it. */
export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={7000} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts no-print">
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

const changedNow = "The page shows it as it is now. Check it, then try again.";

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((t) => (
    <Toast.Root key={t.id} toast={t} className={`toast toast-${t.type ?? "info"}`}>
      <Toast.Content className="toast-content">
        <div>
          <Toast.Title className="toast-title" />
          <Toast.Description className="toast-text" />
        </div>
        <Toast.Close className="icon-button" aria-label="Close the message">
          <X size={16} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** useToast returns functions that show a message: that something is done, or why it failed, below what
 *  that means if it is given. */
export function useToast() {
  const { add } = Toast.useToastManager();
  return useMemo(
    () => ({
      good: (title: string, description?: string) => {
        add({ title, description, type: "good" });
      },
      refused: (e: unknown, meaning?: string) => {
        if (isAPIError(e) && e.error === "CHANGED_MEANWHILE") {
          const title = "Someone changed this while you looked at it. Nothing was done.";
          add({ title, description: changedNow, type: "bad", timeout: 15_000 });
          return;
        }
        const why = isAPIError(e)
          ? [said(e), `Request ${e.request_id}`]
          : [e instanceof Error ? e.message : "Something went wrong on this page. Load it again."];
        const [title, ...description] = meaning ? [meaning, ...why] : why;
        add({ title, description: description.join(" "), type: "bad", timeout: 15_000 });
      },
    }),
    [add],
  );
}
