import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The service serves the build at its root and the API below /api. Sourcemaps
// and preloads that need inline script are left out: the policy forbids them.
export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    outDir: "../dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false, // a style that fails to load with its screen is not loaded again
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": { target: process.env.MOLAR_URL ?? "http://127.0.0.1:8080" } } },
});
