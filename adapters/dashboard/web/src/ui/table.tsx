// Lists: a table on a wide page, cards on a phone.
import { ArrowDown, ArrowUp, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { AnyTarget, Place } from "../shell/places";
import { Button } from "./button";
import { GoTo } from "./link";
import { Failure, Loading } from "./page";

/** Column is a column of a list. The first column holds the link to the row's own screen. */
export type Column<T> = {
  head: string;
  cell: (row: T) => ReactNode;
  right?: boolean; // numbers and money
  wide?: boolean; // is left out on a narrow page
  sort?: string; // the order of the API that its head chooses
};

/** Order is the order of a list of the API: the highest or the last first, unless it is ascending. */
export type Order = {
  by: string;
  ascending: boolean;
  choose: (by: string, ascending: boolean) => void;
};

/** Fold is whether a row shows all about it. */
type Fold<T> = { open: (row: T) => boolean; toggle: (row: T) => void };

/** Table shows rows. A row with a place to go is one link; a row that folds is one button. */
export function Table<T>({
  caption,
  rows,
  columns,
  id,
  to,
  opens,
  open,
  fold,
  order,
}: {
  caption: string;
  rows: readonly T[];
  columns: Column<T>[];
  id: (row: T) => string;
  to?: (row: T) => Place | AnyTarget | undefined; // its screen
  opens?: (row: T) => void; // before its screen opens
  open?: (row: T) => ReactNode; // more about a row, below it
  fold?: Fold<T>;
  order?: Order;
}) {
  return (
    <table className="table">
      <caption className="only-read">{caption}</caption>
      <thead>
        <tr>
          {columns.map((c) =>
            order && c.sort ? (
              <SortingHead key={c.head} column={c} by={c.sort} order={order} />
            ) : (
              <th key={c.head} scope="col" className={style(c)}>
                {c.head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const target = to?.(row);
          const more = open?.(row);
          return [
            <tr key={id(row)} className={target || fold ? "linked" : undefined}>
              {columns.map((c, i) => (
                <td key={c.head} data-head={c.head} className={style(c)}>
                  {i > 0 ? (
                    c.cell(row)
                  ) : (
                    <First row={row} target={target} opens={opens} fold={fold}>
                      {c.cell(row)}
                    </First>
                  )}
                </td>
              ))}
            </tr>,
            more ? (
              <tr key={`${id(row)} more`} className="more">
                <td colSpan={columns.length}>{more}</td>
              </tr>
            ) : null,
          ];
        })}
      </tbody>
    </table>
  );
}

/** SortingHead is a head that orders the list by its column, and turns that order round. */
function SortingHead<T>({ column, by, order }: { column: Column<T>; by: string; order: Order }) {
  const chosen = order.by === by;
  const [way, Arrow] = order.ascending
    ? (["ascending", ArrowUp] as const)
    : (["descending", ArrowDown] as const);
  return (
    <th scope="col" className={style(column)} aria-sort={chosen ? way : undefined}>
      <button
        type="button"
        className="sort"
        onClick={() => order.choose(by, chosen && !order.ascending)}
      >
        {column.head}
        {chosen && <Arrow size={14} aria-hidden />}
      </button>
    </th>
  );
}

/** First is the first cell of a row: its link, or the button that folds it. */
function First<T>({
  row,
  target,
  opens,
  fold,
  children,
}: {
  row: T;
  target: Place | AnyTarget | undefined;
  opens: ((row: T) => void) | undefined;
  fold: Fold<T> | undefined;
  children: ReactNode;
}) {
  if (target) {
    return (
      <GoTo
        target={typeof target === "string" ? { to: target } : target}
        className="row-link"
        onClick={() => opens?.(row)}
      >
        {children}
      </GoTo>
    );
  }
  if (!fold) return children;
  return (
    <button
      type="button"
      className="row-link row-fold"
      aria-expanded={fold.open(row)}
      onClick={() => fold.toggle(row)}
    >
      <ChevronRight size={16} aria-hidden className="no-print" />
      <span>{children}</span>
    </button>
  );
}

function style<T>(c: Column<T>): string | undefined {
  return [c.right && "right numbers", c.wide && "wide"].filter(Boolean).join(" ") || undefined;
}

/** Listing is what useInfiniteQuery returns of a list of the API. */
export type Listing<T> = {
  data?: { pages: { data: T[] }[] };
  error: unknown;
  isPending: boolean;
  isFetchingNextPage: boolean;
  hasNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
};

/** List shows a list of the API: its rows, a button for more of them, and what stands for them when there are none. */
export function List<T>({
  of,
  empty,
  ...table
}: { of: Listing<T>; empty: ReactNode } & Omit<Parameters<typeof Table<T>>[0], "rows">) {
  if (of.isPending) return <Loading />;
  if (!of.data)
    return (
      <Failure
        error={of.error}
        retry={() => {
          of.refetch();
        }}
      />
    );
  const rows = of.data.pages.flatMap((p) => p.data);
  if (rows.length === 0) return <>{empty}</>;
  return (
    <>
      <Table {...table} rows={rows} />
      {of.hasNextPage && (
        <div className="table-more no-print">
          <Button
            onClick={() => {
              of.fetchNextPage();
            }}
            busy={of.isFetchingNextPage}
          >
            {of.isFetchingNextPage ? "Loading…" : "Show more"}
          </Button>
        </div>
      )}
    </>
  );
}

/** paged are the options of useInfiniteQuery for a list of the API. A list asks for 50 at a time and a
 *  look-up for 100: the same query would share one place in the cache, in two forms. */
export const paged = {
  pageParamName: "cursor",
  initialPageParam: null as string | null, // undefined would be a cursor of 0
  getNextPageParam: (last: { next_cursor?: string | null }) => last.next_cursor ?? undefined,
};
