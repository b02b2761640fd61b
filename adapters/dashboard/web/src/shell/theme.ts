// The theme: the system's, or the one that this browser chose.
const key = "molar-theme";

export type Theme = "system" | "light" | "dark";

export function theme(): Theme {
  const t = localStorage.getItem(key);
  return t === "light" || t === "dark" ? t : "system";
}

export function showTheme(): void {
  const t = theme();
  if (t === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = t;
}

export function chooseTheme(t: Theme): void {
  localStorage.setItem(key, t);
  showTheme();
}
