import "./tokens.css";
import "./base.css";
import "./ui/ui.css";
import "./shell/shell.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { forget, onSignedOut } from "./api/client";
import { router } from "./routes";
import { showTheme } from "./shell/theme";

showTheme();

// A session that ended leads to the sign-in.
onSignedOut(() => {
  forget();
  if (location.pathname === "/sign-in") return;
  void router.navigate({
    to: "/sign-in",
    search: { next: location.pathname + location.search },
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
