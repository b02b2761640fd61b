import "./tokens.css";
import "./base.css";
import "./ui/ui.css";
import "./shell/shell.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./routes";
import { showTheme } from "./shell/theme";

showTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
