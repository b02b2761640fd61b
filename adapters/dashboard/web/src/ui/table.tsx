// Lists: a table on a wide page, cards on a phone.
import { ArrowDown, ArrowUp, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { AnyTarget, Place } from "../shell/places";
import { Button } from "./button";
import { Money, sum } from "./format";
import { Keys } from "./keys";
import { GoTo } from "./link";
import { Failure, Loading } from "./page";
import type { Many, Select } from "./selection";

/** Column is a column of a list. The first column holds the link to the row's own screen. */
export type Column<T> = {
  head: string;
  cell: (row: T) => ReactNode;
  right?: boolean; // numbers and money
  wide?: boolean; // is left out on a narrow page
  sort?: string; // the order of the API that its head chooses
  sum?: (row: T, at: number, rows: readonly T[]) => string | null | undefined; // its part of the total
};

/** Order is the order of a list of the API: the highest or the last first, unless it is ascending. */
export type Order = {
  by: string;
  ascending: boolean;
  choose: (by: string, ascending: boolean) => void;
};

/** Fold is whether a row shows all about it. */
type Fold<T> = { open: (row: T) => boolean; toggle: (row: T) => void };

/** Table shows rows. A row with a place to go is one link; a row that folds is one button. The
 *  last row has the totals, if a title of them is given. */
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
  select,
  table,
  totals,
  dense,
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
  select?: Select<T> | undefined;
  table?: string | undefined; // its ID
  totals?: string | false;
  dense?: boolean; // as many rows as fit
}) {
  return (
    <table className={dense ? "table dense" : "table"} id={table}>
      <caption className="only-read">{caption}</caption>
      <thead>
        <tr>
          {select && (
            <th scope="col" className="pick">
              <Pick
                label={`Select all ${select.of.toLocaleString("en-US")} rows`}
                checked={select.all === "all"}
                some={select.all === "some"}
                toggle={select.toggleAll}
              />
            </th>
          )}
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
            <tr key={id(row)} className={rowStyle(target || fold, select?.has(row))}>
              {select && (
                <td className="pick">
                  <Pick
                    label={`Select ${select.label(row)}`}
                    checked={select.has(row)}
                    toggle={(through) => select.toggle(row, through)}
                  />
                </td>
              )}
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
                <td colSpan={columns.length + (select ? 1 : 0)}>{more}</td>
              </tr>
            ) : null,
          ];
        })}
      </tbody>
      {totals && (
        <tfoot>
          <tr>
            {select && <td className="pick" />}
            {columns.map(({ sum: amount, ...c }, i) => (
              <td key={c.head} data-head={amount && c.head} className={style(c)}>
                {i === 0 && totals}
                {amount && <Money value={sum(rows.map(amount))} />}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

const rowStyle = (linked: unknown, picked: boolean | undefined) =>
  [linked && "linked", picked && "picked"].filter(Boolean).join(" ") || undefined;

/** Pick is the box that selects a row, or all. With Shift it selects all from the last one on. */
function Pick({
  label,
  checked,
  some,
  toggle,
}: {
  label: string;
  checked: boolean;
  some?: boolean;
  toggle: (through: boolean) => void;
}) {
  return (
    <label>
      <span className="only-read">{label}</span>
      <input
        type="checkbox"
        checked={checked}
        ref={(e) => {
          if (e) e.indeterminate = some ?? false;
        }}
        onChange={(e) => toggle((e.nativeEvent as MouseEvent).shiftKey)}
      />
    </label>
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

function style(c: { right?: boolean; wide?: boolean }): string | undefined {
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

/** rowsOf returns the rows of a list that are loaded. */
export const rowsOf = <T,>(of: Listing<T>): T[] => of.data?.pages.flatMap((p) => p.data) ?? [];

/** List shows a list of the API: its rows with their totals, a button for more of them, and what
 *  stands for them when there are none. */
export function List<T>({
  of,
  empty,
  many,
  ...table
}: {
  of: Listing<T>;
  empty: ReactNode;
  many?: Many<T>; // its rows can be selected
} & Omit<Parameters<typeof Table<T>>[0], "rows" | "select" | "table" | "totals" | "dense">) {
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
  const rows = rowsOf(of);
  if (rows.length === 0)
    return (
      <>
        {empty}
        {many?.bar}
      </>
    );
  const n = rows.length.toLocaleString("en-US");
  return (
    <>
      <Table
        {...table}
        rows={rows}
        dense
        select={many?.select}
        table={many?.table}
        opens={(row) => {
          many?.opens(row);
          table.opens?.(row);
        }}
        totals={
          rows.length > 1 &&
          table.columns.some((c) => c.sum) &&
          (of.hasNextPage ? `The ${n} shown` : `Total of ${n}`)
        }
      />
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
      {many && <Keys of={table.to ? many.keys : many.keys.filter(([key]) => key !== "Enter")} />}
      {many?.bar}
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
