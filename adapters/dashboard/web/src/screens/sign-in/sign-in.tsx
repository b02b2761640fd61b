// The page on which a person signs in.
import { useRouter, useSearch } from "@tanstack/react-router";
import { Notice } from "../../ui/page";
import { SignInForm } from "./form";
import { whenEnded } from "./why";

export function SignIn() {
  const { history: visited } = useRouter();
  const { next, ended } = useSearch({ from: "/sign-in" });
  return (
    <SignInForm
      // only to a path of this origin
      done={() => visited.replace(next && /^\/(?![/\\])/.test(next) ? next : "/")}
    >
      {ended && <Notice title="You were signed out.">{whenEnded} Sign in again to go on.</Notice>}
    </SignInForm>
  );
}
