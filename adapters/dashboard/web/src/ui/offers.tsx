// What the open page offers to Ctrl-K: the buttons and links of its head, the entries of the menus
// there, and what is marked with data-command.
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Offer } from "../shell/commands";
import type { MenuItem } from "./menu";

// Menus are the entries of menus, by the buttons that open them.
type Menus = Map<Element, readonly MenuItem[]>;

const MenusContext = createContext<Menus | null>(null);

/** Offering holds the pages and Ctrl-K, which finds what the open one offers. */
export function Offering({ children }: { children: ReactNode }) {
  const [menus] = useState<Menus>(() => new Map());
  return <MenusContext.Provider value={menus}>{children}</MenusContext.Provider>;
}

/** useMenu lets Ctrl-K find the entries of a menu. It returns the ref of the menu's button. */
export function useMenu(items: readonly MenuItem[]): RefObject<HTMLButtonElement | null> {
  const menus = useContext(MenusContext);
  const button = useRef<HTMLButtonElement>(null);
  // Ctrl-K looks for the button on the page, outside React.
  useEffect(() => {
    const at = button.current;
    if (!menus || !at) return;
    menus.set(at, items);
    return () => {
      menus.delete(at);
    };
  });
  return button;
}

// The words on a button come before those of a link in a sentence.
const parts = [
  "main .page-head > .row :is(a, button)",
  "main [data-command]",
  "main .page-about :is(a, button)",
];

/** useOffers returns a function that returns what the page offers now. */
export function useOffers(): () => Offer[] {
  const menus = useContext(MenusContext);
  return () =>
    parts
      .flatMap((part) => [...document.querySelectorAll<HTMLElement>(part)])
      .filter((e) => !e.matches(":disabled"))
      .map((e) => ({
        label: e.textContent.trim(),
        begins: e instanceof HTMLAnchorElement && e.search !== "",
        menu: menus?.get(e),
        does: () => {
          e.focus(); // it comes back when what the button opens is closed
          e.click();
        },
      }));
}
