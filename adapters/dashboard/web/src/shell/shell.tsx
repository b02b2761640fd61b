// The frame of every screen: who is signed in, where one can go, which mode it
// is, and whether the service can be reached.

import { Dialog } from "@base-ui/react/dialog";
import { QueryClientProvider } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { ChevronsUpDown, Menu as MenuIcon, Search, X } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import {
  ClientContext,
  clientFor,
  forget,
  isAPIError,
  type Mode,
  onSignedOut,
  useClient,
} from "../api/client";
import { type Link as Connection, useLive } from "../api/live";
import { type Me, MeContext, rememberMode, useMe, useSignOut } from "../api/session";
import { browserZone, When, ZoneContext } from "../ui/format";
import { More } from "../ui/menu";
import { Failure, Loading } from "../ui/page";
import { ToastProvider } from "../ui/toast";
import { later } from "./load";
import { places } from "./places";
import { chooseTheme, theme } from "./theme";

const SecondFactorRequired = later(() =>
  import("../screens/sign-in/required").then((m) => m.SecondFactorRequired),
);
const Palette = later(() => import("./palette").then((m) => m.Palette));

/** Shell shows the screens of a mode to a signed-in user. */
export function Shell() {
  const { mode } = useParams({ strict: false }) as { mode: Mode };
  const client = clientFor(mode);
  useEffect(() => {
    rememberMode(mode);
  }, [mode]);
  return (
    <ClientContext.Provider value={client}>
      <QueryClientProvider client={client.queries} key={mode}>
        <ToastProvider>
          <SignedIn />
        </ToastProvider>
      </QueryClientProvider>
    </ClientContext.Provider>
  );
}

/** SignedIn shows the frame once the service says who the user is. Without a session it leads to the sign-in. */
function SignedIn() {
  const { api } = useClient();
  const navigate = useNavigate();
  const me = api.useQuery("get", "/me");
  useEffect(
    () =>
      onSignedOut(() => {
        forget();
        if (location.pathname === "/sign-in") return;
        void navigate({
          to: "/sign-in",
          search: { next: location.pathname + location.search },
          replace: true,
        });
      }),
    [navigate],
  );
  const [held, hold] = useState(false); // until the person has kept the recovery codes
  const leaving = isAPIError(me.error) && me.error.error === "UNAUTHORIZED";
  if (!me.data && (me.isPending || leaving))
    return (
      <main className="starting">
        <Loading rows={3} />
      </main>
    );
  if (!me.data)
    return (
      <main className="starting">
        <Failure
          error={me.error}
          retry={() => {
            void me.refetch();
          }}
        />
      </main>
    );
  return (
    <MeContext.Provider value={me.data}>
      {held || me.data.session?.totp_required ? (
        <Suspense fallback={null}>
          <SecondFactorRequired hold={hold} />
        </Suspense>
      ) : (
        <ZoneContext.Provider value={zoneOf(me.data)}>
          <Frame />
        </ZoneContext.Provider>
      )}
    </MeContext.Provider>
  );
}

/** zoneOf returns the time zone of the person's office: the browser's, if an office is in it, else the first that the browser knows. */
function zoneOf({ organization: { time_zones: zones } }: Me): string {
  const known = (zone: string) => {
    try {
      return !!Intl.DateTimeFormat("en-US", { timeZone: zone });
    } catch {
      return false;
    }
  };
  return zones.includes(browserZone) ? browserZone : (zones.find(known) ?? browserZone);
}

function Frame() {
  const { mode } = useClient();
  const link = useLive();
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const path = useRouterState({ select: (s) => s.location.pathname });
  useEffect(() => {
    setDrawer(false);
  }, [path]);
  useEffect(() => {
    const open = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k") {
        e.preventDefault();
        setPalette((was) => !was);
      }
    };
    window.addEventListener("keydown", open);
    return () => window.removeEventListener("keydown", open);
  }, []);
  return (
    <div className="frame" data-mode={mode}>
      <a href="#main" className="skip no-print">
        Skip to the content
      </a>
      {mode === "test" && (
        <div className="mode-bar no-print" role="note">
          <strong>Test mode.</strong> Payers are simulated.{" "}
          <span>Nothing here reaches a real payer or patient.</span>
        </div>
      )}
      <header className="top no-print">
        <button
          type="button"
          className="icon-button"
          aria-label="Open the navigation"
          onClick={() => setDrawer(true)}
        >
          <MenuIcon size={20} aria-hidden />
        </button>
        <Brand />
        <button
          type="button"
          className="icon-button"
          aria-label="Search"
          onClick={() => setPalette(true)}
        >
          <Search size={20} aria-hidden />
        </button>
      </header>
      <aside className="side no-print">
        <Brand />
        <Navigation onSearch={() => setPalette(true)} />
      </aside>
      <Dialog.Root open={drawer} onOpenChange={(o) => setDrawer(o)}>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup className="drawer">
            <div className="spread">
              <Dialog.Title className="only-read">Navigation</Dialog.Title>
              <Brand />
              <Dialog.Close className="icon-button" aria-label="Close the navigation">
                <X size={20} aria-hidden />
              </Dialog.Close>
            </div>
            <Navigation
              onSearch={() => {
                setDrawer(false);
                setPalette(true);
              }}
            />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      <main id="main" className="main" tabIndex={-1}>
        <Away link={link} />
        <WeakPassword />
        <OperatorSignedIn />
        <Outlet />
      </main>
      {palette && (
        <Suspense fallback={null}>
          <Palette open onOpenChange={setPalette} />
        </Suspense>
      )}
    </div>
  );
}

function Brand() {
  const { mode } = useClient();
  return (
    <Link to="/$mode" params={{ mode }} className="brand" aria-label="Molar, to Today">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden>
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <path
          d="M10.2 6.5c2.3-.6 3.9.9 5.8.9s3.500-1.500 5.800-.9c2.700.7 3.800 3.300 3.300 6.300-.4 2.400-1.500 3.700-1.900 6.100-.4 2.600-.7 6.600-2.500 6.600-2.300 0-1.700-6.200-4.700-6.200s-2.400 6.200-4.700 6.200c-1.800 0-2.100-4-2.500-6.600-.4-2.400-1.500-3.700-1.900-6.100-.5-3 .6-5.600 3.300-6.300z"
          fill="var(--surface)"
        />
      </svg>
      <span>Molar</span>
    </Link>
  );
}

function Navigation({ onSearch }: { onSearch: () => void }) {
  const { mode } = useClient();
  const me = useMe();
  return (
    <>
      <button type="button" className="nav-search" onClick={onSearch}>
        <Search size={16} aria-hidden />
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Screens">
        <ul className="plain nav">
          {places.map(({ name, path, icon: Icon }) => (
            <li key={name}>
              <Link
                to={`/${mode}${path}` as string}
                activeOptions={{ exact: path === "" }}
                activeProps={{ "aria-current": "page" }}
                className="nav-link"
              >
                <Icon size={18} aria-hidden />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="nav-foot">
        <ModeSwitch />
        <Account email={me.user?.email ?? ""} organization={me.organization.name} />
      </div>
    </>
  );
}

/** ModeSwitch leads to the same screen of the other mode. */
function ModeSwitch() {
  const { mode } = useClient();
  const path = useRouterState({ select: (s) => s.location.pathname });
  const list = path.split("/").slice(2, 3).join("/"); // an object of one mode is not in the other
  return (
    <div className="switch" role="group" aria-label="Mode">
      {(["test", "live"] as const).map((m) => (
        <Link
          key={m}
          to={`/${m}${list ? `/${list}` : ""}` as string}
          className="switch-part"
          data-chosen={m === mode}
        >
          {m === "test" ? "Test" : "Live"}
        </Link>
      ))}
    </div>
  );
}

function Account({ email, organization }: { email: string; organization: string }) {
  const leave = useSignOut();
  const [chosen, setChosen] = useState(theme());
  return (
    <More
      label={`Account: ${organization} ${email}`}
      look="quiet"
      items={[
        ...(["system", "light", "dark"] as const)
          .filter((t) => t !== chosen)
          .map((t) => ({
            label:
              t === "system"
                ? "Use the system's colors"
                : t === "light"
                  ? "Light colors"
                  : "Dark colors",
            onSelect: () => {
              chooseTheme(t);
              setChosen(t);
            },
          })),
        {
          label: "Sign out",
          onSelect: leave,
        },
      ]}
    >
      <span className="account">
        <strong>{organization}</strong> <span className="muted">{email}</span>
      </span>
      <ChevronsUpDown size={16} aria-hidden />
    </More>
  );
}

/** WeakPassword asks for another password. Nothing is forced. */
function WeakPassword() {
  const { mode } = useClient();
  if (!useMe().password_weak) return null;
  return (
    <p className="advice no-print" role="note">
      Your password is easy to guess.{" "}
      <Link to="/$mode/settings" params={{ mode }}>
        Choose another one
      </Link>
    </p>
  );
}

/** OperatorSignedIn says when an operator of the service last signed in as the user. */
function OperatorSignedIn() {
  const { operator_sign_in: last } = useMe();
  if (!last) return null;
  return (
    <p className="advice no-print" role="note">
      An operator signed in as you on <When value={last.at} full />: {last.operator}.
    </p>
  );
}

/** Away says that the service cannot be reached, and that the page waits for it. */
function Away({ link }: { link: Connection }) {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const change = () => setOnline(navigator.onLine);
    window.addEventListener("online", change);
    window.addEventListener("offline", change);
    return () => {
      window.removeEventListener("online", change);
      window.removeEventListener("offline", change);
    };
  }, []);
  const away = !online || link === "away";
  return (
    <div role="status" aria-live="polite" className="no-print">
      {away && (
        <p className="away">
          {online
            ? "Molar does not reply. This page tries again by itself, and what you enter stays here."
            : "This device is offline. What you enter stays here."}
        </p>
      )}
    </div>
  );
}
