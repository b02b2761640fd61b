import "./tokens.css";
import "./base.css";
import "./ui/ui.css";
import "./shell/shell.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { forget, knowsPerson, onSignedOut } from "./api/client";
import { hold, isHeld, typed } from "./api/typed";
import { router } from "./routes";
import { showTheme } from "./shell/theme";

showTheme();

// A session that ended leads to the sign-in. A page with typed text waits, hidden, for its person.
onSignedOut(() => {
  if (isHeld() || typed()) {
    hold(true);
    return;
  }
  const ended = knowsPerson();
  forget();
  if (location.pathname === "/sign-in") return;
  void router.navigate({
    to: "/sign-in",
    search: { next: location.pathname + location.search, ...(ended && { ended }) },
    replace: true,
  });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no root");
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
