import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import type { Place, Target } from "../shell/places";
import { Go } from "./link";

type Look = "plain" | "primary" | "danger" | "quiet";

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  icon?: ReactNode;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement> | undefined;
};

/** Button is a button. While it is busy it cannot be pressed again. */
export function Button({
  look = "plain",
  icon,
  busy,
  children,
  className,
  disabled,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={`button button-${look}${className ? ` ${className}` : ""}`}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

/** ButtonLink looks like a button and leads to a place. */
export function ButtonLink<P extends Place>({
  look = "plain",
  icon,
  children,
  to,
  search,
  "data-act": act,
}: Target<P> & { look?: Look; icon?: ReactNode; children: ReactNode; "data-act"?: string }) {
  return (
    <Go to={to} search={search} className={`button button-${look}`} data-act={act}>
      {icon}
      {children}
    </Go>
  );
}
