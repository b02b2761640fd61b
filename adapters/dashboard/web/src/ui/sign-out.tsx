// Signing out, which asks first where something would be lost.
import { type ReactNode, useState } from "react";
import { useSignOut } from "../api/session";
import { losing } from "../api/typed";
import { Leave } from "./dialog";

/** useSigningOut returns a function that signs out, and the question that may come before it. */
export function useSigningOut(): { signOut: () => void; question: ReactNode } {
  const leave = useSignOut();
  const [lost, ask] = useState<string | null>(null);
  return {
    signOut: () => {
      const would = losing();
      if (would) ask(would);
      else leave();
    },
    question: (
      <Leave
        open={lost !== null}
        lost={lost ?? undefined}
        stay={() => ask(null)}
        leave={() => {
          ask(null);
          leave();
        }}
      />
    ),
  };
}
