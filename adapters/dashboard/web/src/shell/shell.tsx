// The frame of every screen: who is signed in, where one can go, which mode it
// is, and whether the service can be reached.

import { Dialog } from "@base-ui/react/dialog";
import { QueryClientProvider } from "@tanstack/react-query";
import { Link, Outlet, useMatches, useParams, useRouterState } from "@tanstack/react-router";
import { ChevronsUpDown, Menu as MenuIcon, Search, X } from "lucide-react";
import { Activity, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { ClientContext, clientFor, isAPIError, type Mode, useClient } from "../api/client";
import { type Link as Connection, useLive } from "../api/live";
import { type Me, MeContext, useMay, useMe } from "../api/session";
import { pass } from "../api/trail";
import { isHeld, onHeld } from "../api/typed";
import { SignInAgain } from "../screens/sign-in/again";
import { TaskBar } from "../screens/today/bar";
import { ClockContext, instant, stands, timeOf } from "../ui/clock";
import { browserZone, useZone, When, ZoneContext } from "../ui/format";
import { address, Go } from "../ui/link";
import { More } from "../ui/menu";
import { Offering } from "../ui/offers";
import { Failure, Loading, Notice, Page } from "../ui/page";
import { useSigningOut } from "../ui/sign-out";
import { useArrival } from "../ui/title";
import { ToastProvider } from "../ui/toast";
import { later } from "./load";
import { OpenClockContext, useOpenClock } from "./open-clock";
import { needs, places, type Screen } from "./places";
import { chooseTheme, type Theme, theme } from "./theme";

const SecondFactorRequired = later(() =>
  import("../screens/sign-in/required").then((m) => m.SecondFactorRequired),
);
const PasswordRequired = later(() =>
  import("../screens/sign-in/required").then((m) => m.PasswordRequired),
);
const Palette = later(() => import("./palette").then((m) => m.Palette));
const TestClock = later(() => import("./test-clock").then((m) => m.TestClock));

/** Shell shows the screens of a mode to a signed-in user. */
export function Shell() {
  const { mode } = useParams({ strict: false }) as { mode: Mode };
  const client = clientFor(mode);
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

/** SignedIn shows the frame once the service says who the user is. */
function SignedIn() {
  const { api } = useClient();
  const me = api.useQuery("get", "/me");
  const [held, hold] = useState(false); // until the person has kept the recovery codes
  const ended = useSyncExternalStore(onHeld, isHeld);
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
      <Activity mode={ended ? "hidden" : "visible"}>
        <Suspense fallback={null}>
          <ZoneContext.Provider value={zoneOf(me.data)}>
            <ClockContext.Provider value={me.data.clock}>
              {first(me.data, held, hold)}
            </ClockContext.Provider>
          </ZoneContext.Provider>
        </Suspense>
      </Activity>
      {ended && <SignInAgain />}
    </MeContext.Provider>
  );
}

/** first returns what a person does first: a second factor, which may come with a password, a password,
 *  or the work. */
function first({ session }: Me, held: boolean, hold: (on: boolean) => void) {
  if (held || session?.totp_required) return <SecondFactorRequired hold={hold} />;
  if (session?.password_required) return <PasswordRequired />;
  return (
    <Offering>
      <Frame />
    </Offering>
  );
}

/** zoneOf returns the time zone of the person's office: the browser's, if an office is in it, else
 *  the first that the browser knows. */
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
  const [drawer, setDrawer] = useState<string | null>(null); // the screen that it was opened on
  const [palette, setPalette] = useState(false);
  const [clock, setClock] = useState<string | null>(null); // where it is open; empty once it was
  const path = useRouterState({ select: (s) => s.location.pathname });
  const place = useRouterState({ select: (s) => s.location.href });
  const at = useRouterState({ select: (s) => s.location.state.__TSR_index });
  // The way of the tab is outside React.
  useEffect(() => pass(at, place), [at, place]);
  const mayAdvance = useMay().manage && mode === "test";
  const openClock = mayAdvance ? () => setClock(place) : null;
  if (clock && clock !== place) setClock("");
  if (drawer !== null && drawer !== path) setDrawer(null);
  // The keyboard is the window's: Ctrl-K works wherever the focus is.
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
    <OpenClockContext.Provider value={openClock}>
      <div className="frame" data-mode={mode}>
        <a href="#main" className="skip no-print">
          Skip to the content
        </a>
        {mode === "test" && (
          <section className="mode-bar no-print" aria-label="Mode">
            <span>
              <strong>Test mode.</strong> <span className="mode-more">Payers are simulated.</span>{" "}
              <span className="mode-most">Nothing here reaches a real payer or patient.</span>
            </span>
            <ClockTime />
          </section>
        )}
        <header className="top no-print">
          <button
            type="button"
            className="icon-button"
            aria-label="Open the navigation"
            onClick={() => setDrawer(path)}
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
        <Dialog.Root open={drawer === path} onOpenChange={(o) => setDrawer(o ? path : null)}>
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
                  setDrawer(null);
                  setPalette(true);
                }}
              />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <p className="only-read" role="status">
          {useArrival()}
        </p>
        <main id="main" className="main" tabIndex={-1}>
          <Away link={link} />
          <TaskBar />
          <WeakPassword />
          <OperatorSignedIn />
          <Allowed />
        </main>
        {palette && (
          <Suspense fallback={null}>
            <Palette open onOpenChange={setPalette} />
          </Suspense>
        )}
        {openClock && clock !== null && (
          <Suspense fallback={null}>
            <TestClock open={clock === place} onOpenChange={(o) => setClock(o ? place : "")} />
          </Suspense>
        )}
      </div>
    </OpenClockContext.Provider>
  );
}

/** ClockTime shows the time of the test clock when it is not the real one, to owners as a button that opens it. */
function ClockTime() {
  const { clock } = useMe();
  const open = useOpenClock();
  const zone = useZone();
  const [, tick] = useState(0);
  const runs = !!clock && !stands(clock);
  // A clock that runs is outside React.
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => tick((n) => n + 1), 5_000);
    return () => clearInterval(timer);
  }, [runs]);
  if (!clock) return null;
  const text = (
    <>
      <span className="mode-name">Test clock: </span>
      {instant(timeOf(clock, Date.now()), zone)}
      {clock.state === "advancing" && ", advancing"}
      {clock.state === "resetting" && ", being reset"}
      {clock.state === "ready" && !clock.running && ", stopped"}
    </>
  );
  return open ? (
    <button type="button" className="mode-clock numbers" onClick={open}>
      {text}
    </button>
  ) : (
    <span className="mode-clock numbers">{text}</span>
  );
}

/** Allowed shows the screen to those who may do what it is for. */
function Allowed() {
  const may = useMay();
  const path = useMatches({ select: (all) => all.at(-1)?.fullPath ?? "" });
  const need = needs[path.replace("/$mode", "") as Screen];
  if (!need || may[need]) return <Outlet />;
  return (
    <Page title={need === "write" ? "Only reading" : "Only for owners"}>
      <Notice
        title={
          need === "write"
            ? "Your role can read, but not change anything."
            : "Only an owner can see and change this."
        }
      >
        An owner can change your role.
      </Notice>
    </Page>
  );
}

function Brand() {
  return (
    <Go to="/" below className="brand" aria-label="Molar, to Today">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden>
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <path
          d="M10.2 6.5c2.3-.6 3.9.9 5.8.9s3.5-1.5 5.8-.9c2.7.7 3.8 3.3 3.3 6.3-.4 2.4-1.5 3.7
          -1.9 6.1-.4 2.6-.7 6.6-2.5 6.6-2.3 0-1.7-6.2-4.7-6.2s-2.4 6.2-4.7 6.2c-1.8 0-2.1-4
          -2.5-6.6-.4-2.4-1.5-3.7-1.9-6.1-.5-3 .6-5.6 3.3-6.3z"
          fill="var(--surface)"
        />
      </svg>
      <span>Molar</span>
    </Go>
  );
}

function Navigation({ onSearch }: { onSearch: () => void }) {
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
              <Go to={path} below={path !== "/"} className="nav-link">
                <Icon size={18} aria-hidden />
                {name}
              </Go>
            </li>
          ))}
        </ul>
      </nav>
      <div className="nav-foot">
        <ModeSwitch />
        <Account
          person={me.user?.name ?? me.user?.email ?? ""}
          organization={me.organization.name}
        />
      </div>
    </>
  );
}

const modes = { test: "Test", live: "Live" } as const;

/** ModeSwitch leads to the same screen of the other mode. */
function ModeSwitch() {
  const { mode } = useClient();
  const path = useRouterState({ select: (s) => s.location.pathname });
  // An object of one mode is not in the other.
  const list = places.find((p) => p.path === `/${path.split("/")[2] ?? ""}`)?.path ?? "/";
  return (
    <div className="switch" role="group" aria-label="Mode">
      {Object.entries(modes).map(([m, name]) => (
        <Link key={m} to={address(m, list)} className="switch-part" data-chosen={m === mode}>
          {name}
        </Link>
      ))}
    </div>
  );
}

const themes: Record<Theme, string> = {
  system: "Use the system's colors",
  light: "Light colors",
  dark: "Dark colors",
};

function Account({ person, organization }: { person: string; organization: string }) {
  const { signOut, question } = useSigningOut();
  const [chosen, setChosen] = useState(theme());
  return (
    <>
      {question}
      <More
        label={`Account: ${organization} ${person}`}
        look="quiet"
        items={[
          ...(["system", "light", "dark"] as const)
            .filter((t) => t !== chosen)
            .map((t) => ({
              label: themes[t],
              onSelect: () => {
                chooseTheme(t);
                setChosen(t);
              },
            })),
          {
            label: "Sign out",
            onSelect: signOut,
          },
        ]}
      >
        <span className="account">
          <strong>{organization}</strong> <span className="muted">{person}</span>
        </span>
        <ChevronsUpDown size={16} aria-hidden />
      </More>
    </>
  );
}

/** WeakPassword asks for another password. Nothing is forced. */
function WeakPassword() {
  if (!useMe().password_weak) return null;
  return (
    <p className="advice no-print" role="note">
      Your password is easy to guess. <Go to="/settings">Choose another one</Go>
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

function watchConnection(changed: () => void): () => void {
  window.addEventListener("online", changed);
  window.addEventListener("offline", changed);
  return () => {
    window.removeEventListener("online", changed);
    window.removeEventListener("offline", changed);
  };
}

/** Away says that the service cannot be reached, and that the page waits for it. */
function Away({ link }: { link: Connection }) {
  const online = useSyncExternalStore(watchConnection, () => navigator.onLine);
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
