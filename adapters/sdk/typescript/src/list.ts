import type { Call, CallOptions, Core } from "./core.js";

/** One page of a list. */
export interface Page<T> {
  data: T[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** A list of the API: iterate over it for every item of every page. */
export class List<T> implements AsyncIterable<T> {
  constructor(
    private readonly core: Core,
    private readonly call: Call,
    private readonly options?: CallOptions,
  ) {}

  /** page returns one page: the first, or the one that a cursor names. */
  page(cursor?: string): Promise<Page<T>> {
    const query = cursor === undefined ? this.call.query : { ...this.call.query, cursor };
    return this.core.json({ ...this.call, ...(query && { query }) }, this.options);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.page(cursor);
      yield* page.data;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }
}
