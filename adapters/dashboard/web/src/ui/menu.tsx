import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { useMenu } from "./offers";

/** MenuItem is an entry of a menu. */
export type MenuItem = {
  label: string;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
};

/** More is a button that opens a menu. */
export function More({
  label,
  children,
  items,
  look = "plain",
}: {
  label?: string;
  children: ReactNode;
  items: MenuItem[];
  look?: "plain" | "quiet";
}) {
  const button = useMenu(items);
  if (items.length === 0) return null;
  return (
    <Menu.Root>
      <Menu.Trigger ref={button} className={`button button-${look}`} aria-label={label}>
        {children}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="menu-place">
          <Menu.Popup className="menu">
            {items.map((i) => (
              <Menu.Item
                key={i.label}
                className={`menu-item${i.danger ? " menu-danger" : ""}`}
                onClick={i.onSelect}
                disabled={i.disabled}
              >
                {i.label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
